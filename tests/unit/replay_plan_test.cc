// SPDX-License-Identifier: Apache-2.0
// What a replayer of real code is told of a program.
#include <gtest/gtest.h>

#include "explore_texts.h"
#include "replay/plan.h"

namespace bohr::test {
namespace {

using replay::Plan;
using replay::plan_of;

ByteRange block(const Program& program, const std::string& name) {
  for (const Lifetime& lifetime : program.lifetimes)
    if (lifetime.name == name) return lifetime.pieces.front().range;
  return {};
}

std::vector<ByteRange> blocks(const Program& program, const std::vector<std::string>& names) {
  std::vector<ByteRange> ranges;
  for (const std::string& name : names) ranges.push_back(block(program, name));
  return merged(std::move(ranges));
}

Plan plan(const Program& program) { return plan_of(program, steps_of(program)); }

TEST(PlanOf, NamesWhatEachStepMayTouch) {
  const Program program = program_of(
      "stream main\nbuffer x 64\nbuffer y 64\nbuffer z 64\n"
      "main: kernel k reads x, z writes z\nmain: copy c from z to y\n");
  const Plan of = plan(program);
  ASSERT_EQ(of.steps.size(), 2u);
  EXPECT_EQ(of.steps[0].named, blocks(program, {"x", "z"}));
  EXPECT_EQ(of.steps[1].named, blocks(program, {"y", "z"}));
  EXPECT_TRUE(of.steps[0].runs);
  EXPECT_TRUE(of.blank.empty());
}

// What a kernel says is looked at, what a copy says is known.
TEST(PlanOf, OnlyCopiesAreKnownToWrite) {
  Program program = program_of(
      "stream main\nbuffer x 64\nbuffer y 64\n"
      "main: kernel k writes x\nmain: copy c from x to y\n");
  for (const Op& op : program.ops)
    for (uint32_t i = 0; i < op.access_count; ++i)
      program.accesses[op.access_begin + i].source =
          op.kind == OpKind::copy ? AccessSource::copy : AccessSource::params;
  const Plan of = plan(program);
  EXPECT_TRUE(of.steps[0].writes.empty());
  EXPECT_EQ(of.steps[1].writes, blocks(program, {"y"}));
  for (Access& access : program.accesses) access.certainty = Certainty::may;
  EXPECT_TRUE(plan(program).steps[1].writes.empty()) << "a copy whose extent is not known";
}

// A kernel cannot be run in two parts: it runs where its rest stands.
TEST(PlanOf, EarlyPartsDoNotRun) {
  const Program program = program_of(
      "stream main\nbuffer x 64\nbuffer y 64\n"
      "main: kernel a writes x pdl\nmain: kernel b writes x early reads y pdl\n");
  const Plan of = plan(program);
  ASSERT_EQ(of.steps.size(), 4u);
  for (const size_t early : {0, 2}) {
    EXPECT_FALSE(of.steps[early].runs);
    EXPECT_TRUE(of.steps[early + 1].runs);
  }
  EXPECT_TRUE(of.steps[0].named.empty());
  EXPECT_EQ(of.steps[2].named, blocks(program, {"y"}));
  EXPECT_EQ(of.steps[3].named, blocks(program, {"x"}));
}

// The source of a copy from pageable memory is read in the call, which is over.
TEST(PlanOf, SourcesReadInTheCallDoNotRun) {
  const Program program =
      program_of("stream main\nbuffer h 64 pageable\nbuffer y 64\nmain: copy c from h to y\n");
  const std::vector<Step> steps = steps_of(program);
  ASSERT_EQ(steps.size(), 2u);
  ASSERT_EQ(steps[0].part, Part::source);
  const Plan of = plan(program);
  EXPECT_FALSE(of.steps[0].runs);
  EXPECT_TRUE(of.steps[1].runs);
  EXPECT_EQ(of.steps[1].named, blocks(program, {"y"}));
}

TEST(PlanOf, BlocksHandedOutInAGraphStartWithoutMeaning) {
  const Program program = program_of(
      "stream main\nbuffer x 64\nmain: alloc before 64\n"
      "capture g on main\nmain: alloc t 64\nmain: kernel k reads x, before writes t\n"
      "main: free t\nend g\nmain: launch g\n");
  EXPECT_EQ(plan(program).blank, blocks(program, {"t"}));
}

TEST(BareProgram, HasSoManySteps) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{1703}}) {
    const Program program = replay::bare_program(count);
    const std::vector<Step> steps = steps_of(program);
    ASSERT_EQ(steps.size(), count);
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(steps[i].node, NodeId(i));
  }
}

}  // namespace
}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
// One launch cut out of a program.
#include <gtest/gtest.h>

#include "explore_texts.h"
#include "model/one_launch.h"
#include "model/outputs.h"
#include "model/step.h"
#include "order/step_order.h"

namespace bohr::test {
namespace {

constexpr const char* kProgram = R"(stream main
stream side
buffer in 64
buffer out 64
buffer other 64
main: kernel before writes in
capture g on main
main: alloc t 64
main: kernel a reads in writes t
main: record f
side: wait f
side: kernel b reads t writes out
side: record j
main: wait j
main: free t
end g
main: launch g
main: kernel between reads out writes other
main: launch g
)";

OpId launch(const Program& program, int which) {
  for (size_t i = 0; i < program.ops.size(); ++i)
    if (program.ops[i].kind == OpKind::launch && --which == 0) return OpId(i);
  return OpId();
}

TEST(OneLaunch, HasTheStepsOfThatLaunchAlone) {
  const Program program = program_of(kProgram);
  const OpId second = launch(program, 2);
  const Program one = one_launch(program, second);
  const std::vector<Step> steps = steps_of(one);
  ASSERT_EQ(steps.size(), 2u);
  for (const Step& step : steps) EXPECT_EQ(step.op, second);
  const auto order = order::step_order(one, false);
  ASSERT_TRUE(order.ok());
  EXPECT_TRUE(order.value().before(0, 1));
}

TEST(OneLaunch, OutputsAreWhatItTouchesAndDoesNotFree) {
  const Program program = program_of(kProgram);
  const Program one = one_launch(program, launch(program, 1));
  std::vector<std::string> names;
  for (const OutputPiece& output : outputs_of(one))
    names.push_back(one.lifetimes[output.lifetime.index()].name);
  EXPECT_EQ(names, (std::vector<std::string>{"in", "out"}));
}

TEST(SomeLaunches, KeepTheirOrder) {
  const Program program = program_of(kProgram);
  const std::vector<OpId> both = {launch(program, 1), launch(program, 2)};
  const Program some = some_launches(program, both);
  const std::vector<Step> steps = steps_of(some);
  ASSERT_EQ(steps.size(), 4u);
  const auto order = order::step_order(some, false);
  ASSERT_TRUE(order.ok());
  for (const int32_t first : {0, 1})
    for (const int32_t second : {2, 3}) EXPECT_TRUE(order.value().before(first, second));
  EXPECT_EQ(outputs_of(some).size(), 2u) << "what lies between them writes a third one";
}

TEST(OneLaunch, NamesAndNumbersStay) {
  const Program program = program_of(kProgram);
  const Program one = one_launch(program, launch(program, 1));
  EXPECT_EQ(one.ops.size(), program.ops.size());
  EXPECT_EQ(one.graphs.size(), program.graphs.size());
  EXPECT_EQ(one.lifetimes.size(), program.lifetimes.size());
}

}  // namespace
}  // namespace bohr::test

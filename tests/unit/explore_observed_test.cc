// SPDX-License-Identifier: Apache-2.0
// A program whose kernels are known by parameters, with what steps were seen to write.
#include <gtest/gtest.h>

#include "explore/settle.h"
#include "explore_texts.h"

namespace bohr::test {
namespace {

constexpr const char* kEager =
    "stream main\nbuffer x 64\nbuffer y 64\n"
    "main: kernel first reads x, y\n"
    "main: kernel second reads y\n"
    "main: copy third from x to y\n";
constexpr const char* kGraph =
    "stream main\nbuffer x 64\n"
    "capture g on main\nmain: kernel node reads x\nend g\n"
    "main: launch g\nmain: launch g\n";

// As a recorder sees it: a pointer was passed, and how far it reaches is not known.
void forget_direction(std::vector<Access>* accesses) {
  for (Access& access : *accesses) {
    if (access.source == AccessSource::copy) continue;
    access.mode = AccessMode::touch;
    access.certainty = Certainty::may;
    access.source = AccessSource::params;
    access.doubt = Doubt::unknown_extent;
    access.address = access.range.begin;
  }
}

Program touching(const char* text) {
  Program program = program_of(text);
  for (Op& op : program.ops)
    for (uint32_t i = 0; op.kind == OpKind::copy && i < op.access_count; ++i)
      program.accesses[op.access_begin + i].source = AccessSource::copy;
  forget_direction(&program.accesses);
  for (Graph& graph : program.graphs) forget_direction(&graph.accesses);
  return program;
}

struct Seen {
  ByteRange bytes;  // of its lifetime
  AccessMode mode;
  Certainty certainty;
  AccessSource source;
  Doubt doubt;
  bool operator==(const Seen&) const = default;
};
std::vector<Seen> seen(std::span<const Access> accesses) {
  std::vector<Seen> all;
  for (const Access& a : accesses)
    all.push_back({{a.offset, a.offset + a.range.size()}, a.mode, a.certainty, a.source, a.doubt});
  return all;
}
Seen write(uint64_t begin, uint64_t end) {
  return {{begin, end}, AccessMode::write, Certainty::exact, AccessSource::observed, Doubt::none};
}
Seen maybe_read(uint64_t begin, uint64_t end) {
  return {{begin, end},
          AccessMode::read,
          Certainty::may,
          AccessSource::observed,
          Doubt::unknown_extent};
}

ByteRange bytes_of(const Program& program, const Access& access, uint64_t begin, uint64_t end) {
  const uint64_t base = program.lifetimes[access.lifetime.index()].pieces.front().range.begin;
  return {base + begin, base + end};
}

constexpr ByteRange kEverything{0, ~uint64_t{0}};

// The accesses of the eager program's op after these bytes of its first access were seen written.
Program after(const Program& program, size_t op, uint64_t begin, uint64_t end) {
  const std::vector<Step> steps = steps_of(program);
  const Access& access = accesses_of(program, program.ops[op]).front();
  const ObservedWrite observed{steps[op], bytes_of(program, access, begin, end)};
  return explore::with_observed(program, steps, {&observed, 1}, {&kEverything, 1});
}

TEST(WithObserved, AnAccessThatIsWrittenWholeIsAWrite) {
  const Program known = after(touching(kEager), 1, 0, 64);
  EXPECT_EQ(seen(accesses_of(known, known.ops[1])), (std::vector<Seen>{write(0, 64)}));
}

TEST(WithObserved, WhatWasNotWrittenMayBeRead) {
  const Program known = after(touching(kEager), 1, 16, 32);
  EXPECT_EQ(seen(accesses_of(known, known.ops[1])),
            (std::vector<Seen>{write(16, 32), maybe_read(0, 16), maybe_read(32, 64)}));
}

// Which pointer was passed is evidence of its own, whatever part of its bytes was written.
TEST(WithObserved, PartsHaveThePointerThatWasPassed) {
  const Program program = touching(kEager);
  const Program known = after(program, 1, 16, 32);
  const uint64_t passed = accesses_of(program, program.ops[1]).front().address;
  ASSERT_NE(passed, 0u);
  for (const Access& part : accesses_of(known, known.ops[1])) EXPECT_EQ(part.address, passed);
}

// The same value written again is no change: only where other contents were tried is it known that
// what did not change was not written.
TEST(WithObserved, WhatWasNotLookedAtWithOtherContentsStaysUnknown) {
  const Program program = touching(kEager);
  const std::vector<Step> steps = steps_of(program);
  const Access access = accesses_of(program, program.ops[1]).front();
  const ObservedWrite observed{steps[1], bytes_of(program, access, 0, 16)};
  const ByteRange varied = bytes_of(program, access, 8, 32);
  const Program known = explore::with_observed(program, steps, {&observed, 1}, {&varied, 1});
  const std::span<const Access> now = accesses_of(known, known.ops[1]);
  ASSERT_EQ(now.size(), 3u);
  EXPECT_EQ(seen(now.subspan(0, 1)), (std::vector<Seen>{write(0, 16)}));
  EXPECT_EQ(now[1].mode, access.mode);
  EXPECT_EQ(now[1].source, access.source);
  EXPECT_EQ(now[1].range, bytes_of(program, access, 32, 64));
  EXPECT_EQ(seen(now.subspan(2)), (std::vector<Seen>{maybe_read(16, 32)}));
}

TEST(WithObserved, WritesBeyondTheAccessAreCutToIt) {
  Program program = touching(kEager);
  Access& access = program.accesses[program.ops[1].access_begin];
  access.range = {access.range.begin + 8, access.range.begin + 24};
  access.offset = 8;
  const Program known = after(program, 1, 0, 16);
  EXPECT_EQ(seen(accesses_of(known, known.ops[1])),
            (std::vector<Seen>{write(8, 16), maybe_read(16, 24)}));
}

// Also in tables that grow before it.
TEST(WithObserved, OthersKeepWhatTheySay) {
  const Program program = touching(kEager);
  const Program known = after(program, 0, 16, 32);
  EXPECT_EQ(
      seen(accesses_of(known, known.ops[0])),
      (std::vector<Seen>{write(16, 32), maybe_read(0, 16), maybe_read(32, 64), maybe_read(0, 64)}))
      << "of x in parts, y was watched and not written";
  EXPECT_EQ(seen(accesses_of(known, known.ops[1])), (std::vector<Seen>{maybe_read(0, 64)}));
  EXPECT_EQ(seen(accesses_of(known, known.ops[2])), seen(accesses_of(program, program.ops[2])))
      << "a copy's direction is known";
}

TEST(WithObserved, OfStepsThatWereNotWatchedNothingIsKnown) {
  const Program program = touching(kEager);
  const std::vector<Step> steps = steps_of(program);
  const Program known = explore::with_observed(program, {&steps[1], 1}, {}, {&kEverything, 1});
  EXPECT_EQ(seen(accesses_of(known, known.ops[0])), seen(accesses_of(program, program.ops[0])));
  EXPECT_EQ(seen(accesses_of(known, known.ops[1])), (std::vector<Seen>{maybe_read(0, 64)}));
}

TEST(WithObserved, ANodeWritesWhatAnyOfItsLaunchesWrote) {
  const Program program = touching(kGraph);
  const std::vector<Step> steps = steps_of(program);
  ASSERT_EQ(steps.size(), 2u);
  const Access& access = program.graphs[0].accesses[0];
  const std::vector<ObservedWrite> observed = {{steps[0], bytes_of(program, access, 0, 8)},
                                               {steps[1], bytes_of(program, access, 8, 16)}};
  const Program known = explore::with_observed(program, steps, observed, {&kEverything, 1});
  EXPECT_EQ(seen(accesses_of(known.graphs[0], known.graphs[0].nodes[0])),
            (std::vector<Seen>{write(0, 16), maybe_read(16, 64)}));
}

}  // namespace
}  // namespace bohr::test

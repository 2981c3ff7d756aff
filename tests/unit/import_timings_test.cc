// SPDX-License-Identifier: Apache-2.0
// Timings of a log, by the ops and nodes that they belong to.
#include <gtest/gtest.h>

#include "log_builder.h"
#include "trace/import.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kA = 0x7f0000001000;

struct TimingImport : ::testing::Test {
  TimingImport() : s(b.stream()), k(b.function("_Z1kPf", {8})) {
    b.mem_alloc(kA, 4096);
    b.kernel(s, k, {kA});
    kernel = b.seq - 1;
    b.capture_begin(1, s);
    const Node first = b.kernel_node(s, k, {kA});
    const Node second = b.kernel_node(s, k, {kA});
    b.capture_end(1, s, 4);
    b.add_graph(4, 1, {second, first}, {{1, 0}});  // listed last first
    b.exec(1, 4);
    b.launch(1, s);
    launch = b.seq - 1;
  }
  std::vector<bohr::Timing> imported() { return import_log(b.log).value().timings; }

  LogBuilder b;
  uint32_t s, k;
  uint64_t kernel = 0, launch = 0;
};

TEST_F(TimingImport, OfACallAndOfTheNodesOfALaunch) {
  b.add(Timing{launch, 0, 300, 400});  // the second node, as the driver lists them
  b.add(Timing{launch, 1, 200, 290});
  b.add(Timing{kernel, 0, 100, 150});
  const auto program = import_log(b.log).value();
  ASSERT_EQ(program.timings.size(), 3u);
  EXPECT_EQ(program.timings[0].begin, 100);
  EXPECT_FALSE(program.timings[0].node.valid());
  EXPECT_EQ(program.timings[1].node, NodeId(0));
  EXPECT_EQ(program.timings[1].begin, 200);
  EXPECT_EQ(program.timings[2].node, NodeId(1));
  EXPECT_EQ(program.ops[program.timings[2].op.index()].kind, OpKind::launch);
}

TEST_F(TimingImport, WhatBelongsToNothingIsLeftOut) {
  b.add(Timing{kernel + 1000, 0, 1, 2});      // no such call
  b.add(Timing{launch, 7, 1, 2});             // no such node
  b.add(Timing{launch, 0xffffffff, 1, 2});    // nor this
  b.add(Timing{kernel, 0, 2, 1});             // ended before it began
  b.add(Timing{kernel, 0, 1, ~uint64_t{0}});  // in no time that we know
  EXPECT_TRUE(imported().empty());
}

TEST_F(TimingImport, TheFirstOfTwoCounts) {
  b.add(Timing{kernel, 0, 100, 150});
  b.add(Timing{kernel, 0, 500, 550});
  ASSERT_EQ(imported().size(), 1u);
  EXPECT_EQ(imported()[0].begin, 100);
}

}  // namespace
}  // namespace bohr::trace

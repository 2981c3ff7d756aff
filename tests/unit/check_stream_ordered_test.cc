// SPDX-License-Identifier: Apache-2.0
// Memory that comes and goes in stream order: a driver's pool, and nodes of graphs that allocate
// and free. What is decided, in pairs, and what becomes a reason.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/check.h"
#include "log_builder.h"
#include "report/sentences.h"
#include "trace/import.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kBytes = 0x1000;
constexpr uint64_t kA = 0x7f0000000000;

using Lines = std::vector<std::string>;

struct StreamOrdered : ::testing::Test {
  StreamOrdered() : s(b.stream()), t(b.stream()), k(b.function("_Z1kPf", {8})) {}

  void run() {
    Result<Program> imported = import_log(b.log);
    ASSERT_TRUE(imported.ok());
    program = std::move(imported).value();
    Result<Verdict> checked = check::check(program, {});
    ASSERT_TRUE(checked.ok()) << to_string(checked.error());
    verdict = std::move(checked).value();
  }
  Lines findings() {
    run();
    Lines lines;
    for (const Finding& f : verdict.findings)
      lines.push_back(f.first.label + " | " + f.second.label + " | " + to_string(f.cls));
    return lines;
  }
  int64_t count(const std::string& reason) const {
    int64_t n = 0;
    for (const bohr::Diagnostic& d : program.diagnostics) n += d.reason == reason ? d.count : 0;
    return n;
  }
  void alloc(uint64_t address, uint32_t on) {
    b.mem_alloc(address, kBytes, Layer::stream_ordered, on);
  }
  void free(uint64_t address, uint32_t on) { b.mem_free(address, Layer::stream_ordered, on); }
  void order(uint32_t from, uint32_t to) {
    b.event_record(++events, 1, from);
    b.event_wait(events, 1, to);
  }
  // A graph of its nodes, launched once on `s`.
  void launched(std::vector<Node> nodes, const LogBuilder::EdgeList& edges, int launches = 1) {
    b.add_graph(1, 0, std::move(nodes), edges);
    b.exec(1, 1);
    for (int i = 0; i < launches; ++i) b.launch(1, s);
  }

  LogBuilder b;
  uint32_t s, t, k;
  uint32_t events = 0;
  Program program;
  Verdict verdict;
};

TEST_F(StreamOrdered, AUseOnAnotherStreamMayComeBeforeTheAllocation) {
  alloc(kA, s);
  b.kernel(t, k, {kA});
  EXPECT_EQ(findings(), Lines{"allocation | k | data"});
  const std::string text = report::what_happens(program, verdict.findings[0]);
  EXPECT_NE(text.find("before it is there"), std::string::npos) << text;
}

TEST_F(StreamOrdered, AUseBehindTheAllocationIsClean) {
  alloc(kA, s);
  b.kernel(s, k, {kA});
  order(s, t);
  b.kernel(t, k, {kA});
  EXPECT_EQ(findings(), Lines{});
}

TEST_F(StreamOrdered, WhatWasIssuedAheadOfTheAllocationOrdersNothing) {
  order(s, t);
  alloc(kA, s);
  b.kernel(t, k, {kA});
  EXPECT_EQ(findings(), Lines{"allocation | k | data"});
}

TEST_F(StreamOrdered, AHostThatWaitedForTheAllocationOrdersIt) {
  alloc(kA, s);
  HostSync sync;
  sync.call = b.call();
  sync.what = SyncKind::stream;
  sync.stream = s;
  b.add(sync);
  b.kernel(t, k, {kA});
  EXPECT_EQ(findings(), Lines{});
}

TEST_F(StreamOrdered, AUseOnAnotherStreamMayComeAfterTheFree) {
  alloc(kA, s);
  order(s, t);
  b.kernel(t, k, {kA});
  free(kA, s);
  EXPECT_EQ(findings(), Lines{"k | allocation 1 (4 KiB) | lifetime"});
}

// The stream of the free counts, not that of the allocation.
TEST_F(StreamOrdered, MemoryMayBeFreedOnAnotherStreamThanItsOwn) {
  alloc(kA, s);
  order(s, t);
  b.kernel(t, k, {kA});
  free(kA, t);
  EXPECT_EQ(findings(), Lines{});
}

TEST_F(StreamOrdered, AFreeOnAnotherStreamDoesNotWaitForTheOwn) {
  alloc(kA, s);
  order(s, t);
  b.kernel(s, k, {kA});
  free(kA, t);
  EXPECT_EQ(findings(), Lines{"k | allocation 1 (4 KiB) | lifetime"});
}

// cuMemFree of such memory waits for nothing.
TEST_F(StreamOrdered, AFreeByTheHostNeedsWhatItFreesToBeDone) {
  alloc(kA, s);
  b.kernel(s, k, {kA});
  free(kA, 0);
  EXPECT_EQ(findings(), Lines{"k | allocation 1 (4 KiB) | lifetime"});
}

TEST_F(StreamOrdered, AFreeByTheHostBehindASynchronisationIsClean) {
  alloc(kA, s);
  b.kernel(s, k, {kA});
  HostSync sync;
  sync.call = b.call();
  sync.what = SyncKind::stream;
  sync.stream = s;
  b.add(sync);
  free(kA, 0);
  EXPECT_EQ(findings(), Lines{});
}

TEST_F(StreamOrdered, ReuseByAnotherStreamIsOrderedByThePoolAndSaidSo) {
  alloc(kA, s);
  b.kernel(s, k, {kA});
  free(kA, s);
  alloc(kA, t);
  b.kernel(t, k, {kA});
  EXPECT_EQ(findings(), Lines{});
  EXPECT_EQ(verdict.assumptions, Lines{"pool-reuse"});
}

TEST_F(StreamOrdered, ReuseBehindAnOrderOfTheProgramNeedsNoAssumption) {
  alloc(kA, s);
  b.kernel(s, k, {kA});
  free(kA, s);
  order(s, t);
  alloc(kA, t);
  b.kernel(t, k, {kA});
  EXPECT_EQ(findings(), Lines{});
  EXPECT_EQ(verdict.assumptions, Lines{});
}

TEST_F(StreamOrdered, NodesInOrderAreClean) {
  launched({b.alloc_node(s, kA, kBytes), b.kernel_node(s, k, {kA}), b.free_node(s, kA)},
           {{0, 1}, {1, 2}}, 3);
  EXPECT_EQ(findings(), Lines{});
  EXPECT_EQ(count("graph-memory-nodes"), 0);
}

TEST_F(StreamOrdered, ANodeMayRunBeforeTheNodeThatAllocates) {
  launched({b.alloc_node(s, kA, kBytes), b.kernel_node(t, k, {kA}), b.free_node(s, kA)}, {{1, 2}});
  EXPECT_EQ(findings(), Lines{"memory allocation#0 | k#1 | data"});
  const std::string text = report::what_happens(program, verdict.findings[0]);
  EXPECT_NE(text.find("before it is there"), std::string::npos) << text;
}

TEST_F(StreamOrdered, ANodeMayRunAfterTheNodeThatFrees) {
  launched({b.alloc_node(s, kA, kBytes), b.kernel_node(t, k, {kA}), b.free_node(s, kA)},
           {{0, 1}, {0, 2}});
  const Lines found = findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "k#1 | graph memory 1 (4 KiB) | lifetime");
}

// The driver gives two allocations of a graph one address where their lives do not overlap.
TEST_F(StreamOrdered, AnAddressThatAGraphUsesTwiceIsTwoLives) {
  launched({b.alloc_node(s, kA, kBytes), b.kernel_node(t, k, {kA}), b.free_node(s, kA),
            b.alloc_node(s, kA, kBytes), b.kernel_node(s, k, {kA}), b.free_node(s, kA)},
           {{0, 1}, {0, 2}, {2, 3}, {3, 4}, {4, 5}});
  EXPECT_EQ(findings(), Lines{"k#1 | k#4 | reuse"});
}

TEST_F(StreamOrdered, AnAddressThatAGraphUsesTwiceInOrderIsClean) {
  launched({b.alloc_node(s, kA, kBytes), b.kernel_node(t, k, {kA}), b.free_node(s, kA),
            b.alloc_node(s, kA, kBytes), b.kernel_node(s, k, {kA}), b.free_node(s, kA)},
           {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}});
  EXPECT_EQ(findings(), Lines{});
}

TEST_F(StreamOrdered, MemoryOfALaunchIsThereBehindIt) {
  launched({b.alloc_node(s, kA, kBytes), b.kernel_node(s, k, {kA})}, {{0, 1}});
  order(s, t);
  b.kernel(t, k, {kA});
  free(kA, t);
  EXPECT_EQ(findings(), Lines{});
  EXPECT_EQ(count("graph-memory-nodes"), 0);
}

TEST_F(StreamOrdered, MemoryOfALaunchIsNotThereAheadOfIt) {
  launched({b.alloc_node(s, kA, kBytes)}, {});
  b.kernel(t, k, {kA});
  EXPECT_EQ(findings(), Lines{"memory allocation#0 | k | data"});
}

TEST_F(StreamOrdered, MemoryOfALaunchIsFreedBehindItsUses) {
  launched({b.alloc_node(s, kA, kBytes), b.kernel_node(s, k, {kA})}, {{0, 1}});
  order(s, t);
  b.kernel(t, k, {kA});
  free(kA, s);
  EXPECT_EQ(findings(), Lines{"k | graph memory 1 (4 KiB) | lifetime"});
}

TEST_F(StreamOrdered, MemoryThatOutlivesSeveralLaunchesIsAReason) {
  launched({b.alloc_node(s, kA, kBytes), b.kernel_node(s, k, {kA})}, {{0, 1}}, 2);
  run();
  EXPECT_EQ(count("graph-memory-nodes"), 1);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
}

TEST_F(StreamOrdered, ANodeThatFreesWhatAnotherGraphAllocatedIsAReason) {
  launched({b.alloc_node(s, kA, kBytes), b.kernel_node(s, k, {kA})}, {{0, 1}});
  b.add_graph(2, 0, {b.free_node(s, kA)}, {});
  b.exec(2, 2);
  b.launch(2, s);
  b.kernel(s, k, {kA});
  run();
  EXPECT_EQ(count("graph-memory-nodes"), 1);
  EXPECT_EQ(count("unknown-allocation"), 0);
}

// What the recorder said of such a graph was said without looking at its nodes.
TEST_F(StreamOrdered, TheRecordersOwnReasonIsDecidedAnew) {
  Diagnostic note;
  note.reason = b.text("graph-memory-nodes");
  b.add(note);
  launched({b.alloc_node(s, kA, kBytes), b.kernel_node(s, k, {kA}), b.free_node(s, kA)},
           {{0, 1}, {1, 2}});
  run();
  EXPECT_EQ(count("graph-memory-nodes"), 0);
  EXPECT_EQ(verdict.outcome, Outcome::clean);
}

}  // namespace
}  // namespace bohr::trace

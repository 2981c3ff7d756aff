// SPDX-License-Identifier: Apache-2.0
// Lifetimes: which layer owns an address when, and how the allocator's two stories are matched.
#include <gtest/gtest.h>

#include <algorithm>

#include "log_builder.h"
#include "trace/import.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kSegment = 0x7f0000000000;
constexpr uint64_t kBlock = kSegment + 0x1000;

struct MemoryImport : ::testing::Test {
  MemoryImport() : s(b.stream()), k(b.function("_Z1kPf", {8})) {}
  void run() {
    Result<Program> result = import_log(b.log);
    ASSERT_TRUE(result.ok());
    program = std::move(result).value();
  }
  // The lifetime that the n-th kernel's pointer names.
  const Lifetime* named(size_t n) const {
    for (const Op& op : program.ops)
      if (op.kind == OpKind::kernel && n-- == 0) {
        const auto accesses = accesses_of(program, op);
        return accesses.empty() ? nullptr : &program.lifetimes[accesses[0].lifetime.index()];
      }
    return nullptr;
  }
  int64_t count(const std::string& reason) const {
    int64_t n = 0;
    for (const bohr::Diagnostic& d : program.diagnostics) n += d.reason == reason ? d.count : 0;
    return n;
  }
  // A block of 0x800 bytes in pool 3, which a node of graph 4 uses.
  void block_given_back_after_capture() {
    b.mem_alloc(kSegment, 0x200000);
    b.capture_begin(1, s);
    b.block_alloc(kBlock, 0x800, s, 3);
    std::vector<Node> nodes = {b.kernel_node(s, k, {kBlock})};
    b.capture_end(1, s, 4);
    b.add_graph(4, 1, nodes, {});
    b.block_free(kBlock, 0x800, s, 3);
  }
  const Op& at(Point point) const { return program.ops[static_cast<size_t>(point.index)]; }
  LogBuilder b;
  uint32_t s, k;
  Program program;
};

TEST_F(MemoryImport, TheInnermostLayerOwnsAnAddress) {
  b.mem_alloc(kSegment, 0x200000);
  b.kernel(s, k, {kBlock});
  b.block_alloc(kBlock, 0x800, s, 3);
  b.kernel(s, k, {kBlock});
  run();
  EXPECT_EQ(named(0)->bytes, 0x200000u);
  EXPECT_TRUE(named(0)->driver);
  EXPECT_EQ(named(1)->bytes, 0x800u);
  EXPECT_FALSE(named(1)->driver);
  EXPECT_EQ(named(1)->owner, StreamId(0));
  EXPECT_EQ(program.pools[named(1)->pool.index()].name, "graph pool 0.3");
}

TEST_F(MemoryImport, AddressesBetweenBlocksOfASegmentBelongToNobody) {
  b.mem_alloc(kSegment, 0x200000);
  b.block_alloc(kBlock, 0x300, s);
  b.kernel(s, k, {kBlock + 0x300});  // an end pointer, in the block's padding
  b.kernel(s, k, {kBlock + 0x400});  // the end of the padding
  b.kernel(s, k, {kBlock + 0x408});
  run();
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(named(i), nullptr);
  EXPECT_EQ(count("unknown-allocation"), 1);
}

TEST_F(MemoryImport, GenerationsOfOneAddressAreLifetimesOfTheirOwn) {
  b.mem_alloc(kSegment, 0x200000);
  b.block_alloc(kBlock, 0x800, s);
  b.kernel(s, k, {kBlock});
  b.block_free(kBlock, 0x800, s);
  b.block_alloc(kBlock, 0x400, s);
  b.kernel(s, k, {kBlock});
  run();
  ASSERT_NE(named(0), named(1));
  EXPECT_EQ(named(0)->bytes, 0x800u);
  EXPECT_EQ(named(1)->bytes, 0x400u);
  EXPECT_EQ(at(named(0)->alloc).kind, OpKind::alloc);
  EXPECT_EQ(at(named(0)->free).kind, OpKind::free);
  EXPECT_LT(named(0)->free.index, named(1)->alloc.index);
  EXPECT_FALSE(named(1)->free.known());
  EXPECT_EQ(count("allocator-order-unknown"), 0);
}

// free_completed stands after the next allocation's neighbours: the block is not there to be
// handed out before it.
TEST_F(MemoryImport, ADelayedFreeTakesEffectWhereItIsCompleted) {
  b.block_alloc(kBlock, 0x800, s);
  b.add(BlockFree{b.call(), kBlock});
  b.history(HistoryAction::free_requested, kBlock, 0x800, s);
  b.block_alloc(kBlock + 0x1000, 0x800, s);
  b.history(HistoryAction::free_completed, kBlock, 0x800, s);
  b.block_alloc(kBlock, 0x800, s);
  run();
  ASSERT_EQ(program.lifetimes.size(), 3u);
  const Lifetime& first = program.lifetimes[0];
  const Lifetime& second = program.lifetimes[1];
  const Lifetime& third = program.lifetimes[2];
  EXPECT_GT(first.free.index, second.alloc.index);
  EXPECT_LT(first.free.index, third.alloc.index);
  EXPECT_EQ(count("allocator-order-unknown"), 0);
}

TEST_F(MemoryImport, AFreeThatIsNeverCompletedNeverTakesEffect) {
  b.block_alloc(kBlock, 0x800, s);
  b.add(BlockFree{b.call(), kBlock});
  b.history(HistoryAction::free_requested, kBlock, 0x800, s);
  run();
  EXPECT_FALSE(program.lifetimes[0].free.known());
}

TEST_F(MemoryImport, TheOrderOfHistoryEntriesOfOtherDevicesDoesNotDelayAFree) {
  b.block_alloc(kBlock, 0x800, s);
  b.add(BlockFree{b.call(), kBlock});
  b.history(HistoryAction::free_requested, kBlock, 0x800, s);
  b.history(HistoryAction::alloc, 0x1000, 0x800, s);
  std::get<History>(b.log.records.back()).device = 1;
  b.history(HistoryAction::free_completed, kBlock, 0x800, s);
  run();
  EXPECT_TRUE(program.lifetimes[0].free.known());
}

// What is told of a block that was dropped with the older work: a part of its callbacks or of its
// entries, whose number no longer says which is whose.
TEST_F(MemoryImport, WhatIsSaidToBelongTogetherIsMatchedWhateverElseWasDropped) {
  Diagnostic dropped;
  dropped.reason = b.text("recent-only"), dropped.to = 1;
  b.add(dropped);
  b.history(HistoryAction::alloc, kBlock, 0x400, s), b.said(1);  // its callback was dropped
  b.history(HistoryAction::free_requested, kBlock, 0x400, s), b.said(2);
  b.history(HistoryAction::free_completed, kBlock, 0x400, s);
  b.seq = 100;
  b.add(BlockAlloc{b.call(), kBlock});
  b.history(HistoryAction::alloc, kBlock, 0x800, s), b.said(b.newest());
  b.kernel(s, k, {kBlock});
  b.add(BlockFree{b.call(), kBlock});
  b.history(HistoryAction::free_requested, kBlock, 0x800, s), b.said(b.newest());
  b.history(HistoryAction::free_completed, kBlock, 0x800, s);
  run();
  ASSERT_EQ(program.lifetimes.size(), 1u);
  EXPECT_EQ(named(0)->bytes, 0x800u);
  EXPECT_TRUE(program.lifetimes[0].free.known());
  EXPECT_EQ(count("allocator-order-unknown"), 0);
}

TEST_F(MemoryImport, AMissingCallbackIsToldWhereNothingWasDropped) {
  b.history(HistoryAction::alloc, kBlock, 0x400, s), b.said(1);
  b.add(BlockAlloc{b.call(), kBlock});
  run();
  EXPECT_TRUE(program.lifetimes.empty());
  EXPECT_EQ(count("allocator-order-unknown"), 2);  // the entry, and the callback
}

// Between the two entries some were dropped: it may have waited for another stream.
TEST_F(MemoryImport, AFreeIsNotCompletedAtOnceWhereEntriesBetweenWereDropped) {
  b.block_alloc(kBlock, 0x800, s);
  b.add(BlockFree{b.call(), kBlock});
  b.history(HistoryAction::free_requested, kBlock, 0x800, s);
  b.kernel(s, k, {kBlock + 0x4000});
  b.history(HistoryAction::alloc, kBlock + 0x1000, 0x800, s);
  b.log.records.pop_back();
  b.history(HistoryAction::free_completed, kBlock, 0x800, s);
  b.block_alloc(kBlock, 0x800, s);
  run();
  ASSERT_EQ(program.lifetimes.size(), 2u);
  const auto kernel = std::find_if(program.ops.begin(), program.ops.end(),
                                   [](const Op& op) { return op.kind == OpKind::kernel; });
  EXPECT_GT(program.lifetimes[0].free.index, kernel - program.ops.begin());
}

TEST_F(MemoryImport, CallbacksThatDisagreeWithTheHistoryLeaveTheSegmentAsOwner) {
  b.mem_alloc(kSegment, 0x200000);
  b.block_alloc(kSegment, 0x400, s);  // a block that is told right
  b.history(HistoryAction::alloc, kBlock, 0x800, s);
  b.history(HistoryAction::free_requested, kBlock, 0x800, s);
  b.history(HistoryAction::free_completed, kBlock, 0x800, s);
  b.block_alloc(kBlock, 0x800, s);
  b.kernel(s, k, {kBlock});
  b.kernel(s, k, {kSegment});
  run();
  EXPECT_EQ(count("allocator-order-unknown"), 1);
  EXPECT_EQ(named(0)->bytes, 0x200000u);
  const Op* kernel = nullptr;
  for (const Op& op : program.ops)
    if (!kernel && op.kind == OpKind::kernel) kernel = &op;
  EXPECT_EQ(accesses_of(program, *kernel)[0].doubt, Doubt::unknown_extent);
  EXPECT_EQ(named(1)->bytes, 0x400u);
}

TEST_F(MemoryImport, BlocksThatTheHistoryNoLongerDescribesAreReported) {
  b.block_alloc(kBlock, 0x800, s);
  b.block_free(kBlock, 0x800, s);
  b.add(BlockAlloc{b.call(), kBlock});
  run();
  ASSERT_EQ(program.lifetimes.size(), 1u);
  EXPECT_TRUE(program.lifetimes[0].free.known());
  EXPECT_EQ(count("allocator-order-unknown"), 1);
}

TEST_F(MemoryImport, FreesOfBlocksFromBeforeAreNoDisagreement) {
  b.block_free(kBlock, 0x800, s);
  b.block_alloc(kBlock, 0x800, s);
  run();
  EXPECT_EQ(program.lifetimes.size(), 1u);
  EXPECT_EQ(count("allocator-order-unknown"), 0);
}

// As torch.compile drops the outputs of its graphs.
TEST_F(MemoryImport, ABlockOfACaptureThatIsGivenBackAfterItStaysTheGraphs) {
  const uint32_t t = b.stream();
  block_given_back_after_capture();
  b.kernel(t, k, {kBlock + 0x400});
  b.kernel(t, k, {kBlock + 0x800});  // behind its end: nobody's
  b.block_alloc(kBlock + 0x600, 0x400, s, 3);
  b.kernel(t, k, {kBlock + 0x400});  // no longer: a part was handed out anew
  b.kernel(t, k, {kBlock + 0x600});
  run();
  ASSERT_EQ(program.lifetimes.size(), 3u);
  EXPECT_EQ(named(0), &program.lifetimes[1]);
  EXPECT_TRUE(named(0)->alloc.graph.valid());
  EXPECT_FALSE(named(0)->free.graph.valid());
  EXPECT_EQ(named(1), nullptr);
  EXPECT_EQ(named(2), nullptr);
  EXPECT_EQ(named(3), &program.lifetimes[2]);
  EXPECT_EQ(count("unknown-allocation"), 1);
}

TEST_F(MemoryImport, ABlockOfACaptureIsNobodysOnceItsSegmentIsMappedAnew) {
  block_given_back_after_capture();
  b.mem_free(kSegment);
  b.kernel(s, k, {kBlock});
  b.mem_alloc(kSegment, 0x200000);
  b.kernel(s, k, {kBlock});
  run();
  EXPECT_EQ(named(0), nullptr);
  EXPECT_EQ(named(1), &program.lifetimes[2]);
}

// No graph writes it once it is given back inside the capture: another node may have its bytes.
TEST_F(MemoryImport, ABlockThatIsGivenBackInItsCaptureIsNobodysAfterIt) {
  b.mem_alloc(kSegment, 0x200000);
  b.capture_begin(1, s);
  b.block_alloc(kBlock, 0x800, s, 3);
  std::vector<Node> nodes = {b.kernel_node(s, k, {kBlock})};
  b.block_free(kBlock, 0x800, s, 3);
  b.capture_end(1, s, 4);
  b.add_graph(4, 1, nodes, {});
  b.kernel(s, k, {kBlock});
  run();
  EXPECT_EQ(named(0), nullptr);
  EXPECT_EQ(count("unknown-allocation"), 1);
}

TEST_F(MemoryImport, AnOverlappingSiblingEndsTheOlderOne) {
  b.block_alloc(kBlock, 0x800, s);
  b.block_alloc(kBlock + 0x400, 0x800, s);
  b.kernel(s, k, {kBlock + 0x400});
  run();
  EXPECT_EQ(named(0), &program.lifetimes[1]);
  EXPECT_EQ(program.lifetimes[0].free.index, program.lifetimes[1].alloc.index);
  EXPECT_EQ(count("allocator-order-unknown"), 1);
}

TEST_F(MemoryImport, MemoryIsThereFromTheReturnOfItsAllocation) {
  // Another thread frees the old allocation while this one is inside its call.
  b.mem_alloc(kBlock, 0x1000);
  MemAlloc second;
  second.call = {b.seq + 1, b.seq + 9, 1, 0};
  second.address = kBlock;
  second.bytes = 0x1000;
  MemFree first;
  first.call = {b.seq + 3, b.seq + 5, 2, 0};
  first.address = kBlock;
  b.add(second);
  b.add(first);
  run();
  ASSERT_EQ(program.lifetimes.size(), 2u);
  EXPECT_LT(program.lifetimes[0].free.index, program.lifetimes[1].alloc.index);
  EXPECT_FALSE(program.lifetimes[1].free.known());
  EXPECT_TRUE(program.diagnostics.empty());
}

TEST_F(MemoryImport, StreamOrderedReuseOnAnotherStreamWaitsForTheFree) {
  const uint32_t t = b.stream();
  b.mem_alloc(kBlock, 0x1000, Layer::stream_ordered, s);
  b.mem_free(kBlock, Layer::stream_ordered, s);
  b.mem_alloc(kBlock, 0x800, Layer::stream_ordered, t);
  b.mem_alloc(kBlock + 0x800, 0x800, Layer::stream_ordered, s);
  run();
  std::vector<const Op*> hidden;
  for (const Op& op : program.ops)
    if (op.hidden && label_of(program, op) != "allocation") hidden.push_back(&op);
  ASSERT_EQ(hidden.size(), 2u) << "the owner's own stream needs no wait";
  EXPECT_EQ(hidden[0]->kind, OpKind::record);
  EXPECT_EQ(hidden[0]->stream, StreamId(0));
  EXPECT_EQ(hidden[1]->kind, OpKind::wait);
  EXPECT_EQ(hidden[1]->stream, StreamId(1));
  EXPECT_EQ(&program.ops[hidden[1]->bound.index()], hidden[0]);
  EXPECT_FALSE(program.lifetimes[0].driver);
  EXPECT_EQ(program.lifetimes[0].owner, StreamId(0));
}

TEST_F(MemoryImport, AllocationsBeyondTheAddressSpaceAreRefused) {
  b.mem_alloc(~uint64_t{0} - 4, 64);
  b.mem_alloc(kBlock, 0);
  b.block_alloc(~uint64_t{0} - 4, 64, s);
  run();
  EXPECT_TRUE(program.lifetimes.empty());
  EXPECT_EQ(count("unknown-allocation"), 3);
}

TEST_F(MemoryImport, SegmentsFromBeforeRecordingAreKnown) {
  b.add(Segment{0, kSegment, 0x200000, s, 0, 0});
  b.add(Segment{0, kSegment + 0x400000, 0x200000, s, 0, 0});
  b.mem_alloc(kSegment + 0x400000, 0x200000);
  b.kernel(s, k, {kSegment + 8});
  run();
  ASSERT_NE(named(0), nullptr);
  EXPECT_TRUE(named(0)->buffer);
  EXPECT_EQ(program.lifetimes.size(), 2u) << "the second segment's allocation was recorded";
}

TEST_F(MemoryImport, SharedMemoryIsReported) {
  b.mem_alloc(kBlock, 0x1000, Layer::ipc);
  run();
  EXPECT_EQ(count("peer-communication"), 1);
}

TEST_F(MemoryImport, PinnedHostMemoryIsKnownAsSuch) {
  b.mem_alloc(kBlock, 0x1000, Layer::host);
  b.copy(s, kBlock, Memory::pinned, 0x100, Memory::device, 16);
  run();
  EXPECT_EQ(program.lifetimes[0].memory, MemoryKind::pinned);
}

}  // namespace
}  // namespace bohr::trace

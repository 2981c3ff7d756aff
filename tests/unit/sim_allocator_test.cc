// SPDX-License-Identifier: Apache-2.0
// The caching allocator, rule by rule: which block a request gets, and when a freed one may be
// handed out again. Expected offsets follow from PyTorch's rules, worked out by hand.
#include <gtest/gtest.h>

#include "unit/sim_device.h"

namespace bohr::gpu::sim {
namespace {

const StreamId kMain(0), kSide(1), kThird(2);
const PoolId kPool(7);
constexpr uint64_t kFirst = 64 * kMiB;  // where the test device's first segment lies

class SimAllocator : public ::testing::Test {
 protected:
  uint64_t alloc(uint64_t bytes, StreamId stream = kMain) {
    const Result<Allocation> made = allocator.alloc(bytes, stream);
    EXPECT_TRUE(made.ok()) << to_string(made.error());
    return made.ok() ? made.value().address : 0;
  }
  void free(uint64_t address) { EXPECT_TRUE(allocator.free(address).ok()); }
  void use(uint64_t address, StreamId stream) {
    EXPECT_TRUE(allocator.record_stream(address, stream).ok());
  }
  void capture(std::set<StreamId> streams = {kMain, kSide}) {
    const auto captures = [streams](StreamId stream) { return streams.count(stream) > 0; };
    EXPECT_TRUE(allocator.begin_capture(kPool, captures).ok());
  }
  void end() { allocator.end_capture(kPool); }
  std::string code(const Status& status) { return status.ok() ? "ok" : status.error().code; }

  TestDevice device;
  CachingAllocator allocator{device.driver()};
};

TEST_F(SimAllocator, RoundsRequestsTo512Bytes) {
  EXPECT_EQ(alloc(1), kFirst);
  EXPECT_EQ(alloc(512), kFirst + 512);
  EXPECT_EQ(alloc(513), kFirst + 1024);
  EXPECT_EQ(alloc(1), kFirst + 2048);
}

TEST_F(SimAllocator, TakesSegmentsOfTheRightSize) {
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {{1, 2 * kMiB},
                                                               {kMiB, 2 * kMiB},
                                                               {kMiB + 1, 20 * kMiB},
                                                               {10 * kMiB - 512, 20 * kMiB},
                                                               {10 * kMiB - 511, 10 * kMiB},
                                                               {10 * kMiB, 10 * kMiB},
                                                               {10 * kMiB + 1, 12 * kMiB},
                                                               {33 * kMiB, 34 * kMiB}};
  int32_t stream = 0;
  for (const auto& [request, segment] : expected) {
    const uint64_t address = alloc(request, StreamId(stream++));
    EXPECT_EQ(device.segments.at(address), segment) << request;
  }
}

TEST_F(SimAllocator, WritesPytorchsHistory) {
  const uint64_t block = alloc(100);
  use(block, kSide);
  free(block);
  alloc(200);
  free(block);
  EXPECT_TRUE(allocator.empty_cache().ok());
  EXPECT_EQ(device.lines(), (std::vector<std::string>{
                                "segment_alloc 4000000 2097152 0", "alloc 4000000 100 0",
                                "free_requested 4000000 100 0", "free_completed 4000000 100 0",
                                "alloc 4000000 200 0", "free_requested 4000000 200 0",
                                "free_completed 4000000 200 0", "segment_free 4000000 2097152 0"}));
}

TEST_F(SimAllocator, SmallBlocksLeaveOverAnyRemainder) {
  const uint64_t first = alloc(1024);
  alloc(1);
  free(first);
  EXPECT_EQ(alloc(1), first);
  EXPECT_EQ(alloc(1), first + 512);
}

TEST_F(SimAllocator, LargeBlocksLeaveOverMoreThanOneMiB) {
  alloc(9 * kMiB);
  const uint64_t rest = alloc(10 * kMiB);  // 11 MiB are left: one too many, but not cut off
  EXPECT_EQ(rest, kFirst + 9 * kMiB);
  EXPECT_EQ(allocator.memory().block(rest).bytes, 11 * kMiB);
  free(rest);
  EXPECT_EQ(alloc(10 * kMiB - 512), rest);  // leaves 1 MiB and 512 bytes
  EXPECT_EQ(allocator.memory().block(rest).bytes, 10 * kMiB - 512);
  EXPECT_EQ(alloc(kMiB + 1), rest + 10 * kMiB - 512);
}

TEST_F(SimAllocator, TakesTheSmallestBlockThatFitsThenTheLowest) {
  std::vector<uint64_t> blocks;
  for (const uint64_t steps : {4, 1, 2, 1, 3, 1, 2, 1}) blocks.push_back(alloc(512 * steps));
  for (const size_t i : {6, 4, 2, 0}) free(blocks[i]);  // 2, 3, 2 and 4 steps, each on its own
  EXPECT_EQ(alloc(1024), blocks[2]);
  EXPECT_EQ(alloc(1024), blocks[6]);
  EXPECT_EQ(alloc(1024), blocks[4]);  // of 3 steps: one is left over
  EXPECT_EQ(alloc(512), blocks[4] + 1024);
  EXPECT_EQ(alloc(512), blocks[0]);
}

TEST_F(SimAllocator, JoinsFreeNeighbours) {
  const uint64_t first = alloc(512), middle = alloc(512), last = alloc(512);
  alloc(512);
  free(first);
  free(last);
  EXPECT_EQ(alloc(1024), last + 1024);  // 512 bytes on either side do not make 1024
  free(middle);
  EXPECT_EQ(alloc(1536), first);
}

TEST_F(SimAllocator, FreedBlocksGoToTheirOwnStreamAtOnce) {
  device.hold(kMain);  // even though its work goes on
  const uint64_t block = alloc(512);
  free(block);
  EXPECT_EQ(alloc(512), block);
}

TEST_F(SimAllocator, FreedBlocksGoToNoOtherStream) {
  const uint64_t block = alloc(512);
  free(block);
  EXPECT_EQ(alloc(512, kSide), kFirst + 2 * kMiB);
  EXPECT_EQ(alloc(512, kMain), block);
}

// The bug that record_stream is there for, and its repair.
TEST_F(SimAllocator, AUseThatNobodyNamedDelaysNothing) {
  const uint64_t block = alloc(512);
  device.hold(kSide);
  free(block);
  EXPECT_EQ(alloc(512), block);
}

TEST_F(SimAllocator, ANamedUseDelaysTheFreeUntilItsEventIsDone) {
  const uint64_t block = alloc(512);
  use(block, kSide);
  device.hold(kSide);
  free(block);
  EXPECT_EQ(alloc(512), block + 512);
  device.release();
  EXPECT_EQ(alloc(512), block);
}

TEST_F(SimAllocator, AFreeWaitsForAllItsStreams) {
  const uint64_t block = alloc(512);
  use(block, kSide);
  use(block, kThird);
  device.hold(kSide), device.hold(kThird);
  free(block);
  device.release(kThird);
  EXPECT_EQ(alloc(512), block + 512);
  device.release(kSide);
  EXPECT_EQ(alloc(512), block);
}

TEST_F(SimAllocator, TheFirstUndoneEventHoldsItsStreamOnly) {
  const uint64_t first = alloc(512), second = alloc(512);
  use(first, kSide);
  use(second, kThird);
  device.hold(kSide);
  free(first);
  free(second);
  EXPECT_EQ(alloc(512), second);
}

TEST_F(SimAllocator, UsesOfTheOwnStreamNeedNoEvent) {
  const uint64_t block = alloc(512);
  use(block, kMain);
  device.hold(kMain);
  free(block);
  EXPECT_TRUE(device.events.empty());
  EXPECT_EQ(alloc(512), block);
}

TEST_F(SimAllocator, UsesEndWithTheLifetime) {
  const uint64_t block = alloc(512);
  use(block, kSide);
  free(block);
  EXPECT_EQ(alloc(512), block);
  device.hold(kSide);
  free(block);
  EXPECT_EQ(alloc(512), block);
}

TEST_F(SimAllocator, WaitingBlocksAreNotJoined) {
  const uint64_t first = alloc(512), second = alloc(512);
  use(first, kSide);
  device.hold(kSide);
  free(first);
  free(second);
  EXPECT_EQ(alloc(1024), second);
  EXPECT_EQ(allocator.memory().block(first).state, BlockState::waiting);
  EXPECT_EQ(code(allocator.free(first)), "block-not-live");
}

TEST_F(SimAllocator, CapturesAllocateFromTheirPool) {
  const uint64_t cached = alloc(512);
  free(cached);
  capture();
  const Result<Allocation> inside = allocator.alloc(512, kMain);
  const Result<Allocation> beside = allocator.alloc(512, kThird);
  EXPECT_EQ(inside.value().pool, kPool);
  EXPECT_NE(inside.value().address, cached);
  EXPECT_FALSE(beside.value().pool.valid());
  end();
  EXPECT_EQ(alloc(512), cached);
}

TEST_F(SimAllocator, GraphsOfOnePoolShareItsBytes) {
  capture();
  const uint64_t block = alloc(512);
  free(block);
  end();
  EXPECT_NE(alloc(512), block);  // the default pool does not get it
  capture();
  EXPECT_EQ(alloc(512), block);
  end();
}

TEST_F(SimAllocator, BlocksFreedAfterTheirCaptureGoBackToThePool) {
  capture();
  const uint64_t block = alloc(512);
  end();
  free(block);
  EXPECT_NE(alloc(512), block);
  capture();
  EXPECT_EQ(alloc(512), block);
  end();
}

TEST_F(SimAllocator, ACapturedUseThatNobodyNamedDelaysNothing) {
  capture();
  const uint64_t block = alloc(512);
  free(block);
  EXPECT_EQ(alloc(512), block);
  end();
}

TEST_F(SimAllocator, ACapturedNamedUseDelaysTheFreeBeyondTheCapture) {
  capture();
  const uint64_t block = alloc(512);
  use(block, kSide);
  free(block);
  EXPECT_NE(alloc(512), block);
  end();
  EXPECT_TRUE(device.events.empty());
  capture();
  EXPECT_NE(alloc(512), block);  // captures without an allocation between them
  end();
  alloc(512);
  EXPECT_TRUE(device.events.empty());  // the use ended with the capture
  capture();
  EXPECT_EQ(alloc(512), block);
  end();
}

TEST_F(SimAllocator, AUseNamedBeforeTheCaptureStillNeedsItsEvent) {
  const uint64_t block = alloc(512);
  use(block, kSide);
  device.hold(kSide);
  capture({kThird});
  free(block);
  EXPECT_EQ(alloc(512), block + 512);
  EXPECT_TRUE(device.events.empty());  // no event may be recorded here
  end();
  EXPECT_EQ(alloc(512), block + 1024);
  EXPECT_EQ(device.events.size(), 1u);
  device.release();
  EXPECT_EQ(alloc(512), block);
}

// PyTorch's gap: the use after the capture is taken for the one inside it.
TEST_F(SimAllocator, ACapturedUseIsOverEvenIfNamedAgainOutside) {
  const uint64_t block = alloc(512);
  capture({kThird});
  use(block, kSide);
  end();
  use(block, kSide);
  device.hold(kSide);
  capture({kThird});
  free(block);
  end();
  EXPECT_EQ(alloc(512), block);
}

TEST_F(SimAllocator, ACapturedUseNeedsItsEventIfFreedOutside) {
  const uint64_t block = alloc(512);
  capture({kThird});
  use(block, kSide);
  end();
  device.hold(kSide);
  free(block);
  EXPECT_EQ(alloc(512), block + 512);
}

TEST_F(SimAllocator, NoEventIsAskedWhileACaptureIsUnderway) {
  const uint64_t block = alloc(512);
  use(block, kSide);
  free(block);  // its event is done
  capture({kThird});
  EXPECT_EQ(alloc(512), block + 512);
  end();
  EXPECT_EQ(alloc(512), block);
}

TEST_F(SimAllocator, APoolGoesWithItsLastGraphWhenTheCacheIsEmptied) {
  capture();
  const uint64_t kept = alloc(512), large = alloc(2 * kMiB);
  free(large);
  end();
  capture();
  end();
  allocator.drop_graph(kPool);
  EXPECT_TRUE(allocator.empty_cache().ok());
  EXPECT_EQ(device.segments.size(), 2u);  // a graph is left
  allocator.drop_graph(kPool);
  EXPECT_EQ(device.segments.size(), 2u);  // not emptied yet
  EXPECT_TRUE(allocator.empty_cache().ok());
  EXPECT_EQ(device.segments.size(), 1u);  // a block is live
  EXPECT_EQ(code(allocator.begin_capture(kPool, {})), "capture-pool");
  free(kept);
  EXPECT_TRUE(allocator.empty_cache().ok());
  EXPECT_TRUE(device.segments.empty());
  capture();  // the number may be used again
  end();
}

TEST_F(SimAllocator, EmptiesTheCacheWhenTheDriverHasNoMemory) {
  device.limit = 22 * kMiB;
  const uint64_t small = alloc(512), large = alloc(12 * kMiB);
  alloc(512);
  free(large);
  EXPECT_EQ(alloc(20 * kMiB, kSide), kFirst + 14 * kMiB);
  EXPECT_EQ(device.segments.count(small), 1u);
  EXPECT_EQ(device.segments.count(large), 0u);
}

TEST_F(SimAllocator, WaitsForEventsWhenTheDriverHasNoMemory) {
  device.limit = 20 * kMiB;
  const uint64_t large = alloc(12 * kMiB);
  use(large, kSide);
  device.hold(kSide);
  free(large);
  EXPECT_EQ(alloc(20 * kMiB), kFirst + 12 * kMiB);
  EXPECT_EQ(device.segments.size(), 1u);
}

TEST_F(SimAllocator, RefusesWhatNoSegmentCanHold) {
  device.limit = 22 * kMiB;
  alloc(512);
  const uint64_t block = alloc(12 * kMiB);
  const Result<Allocation> refused = allocator.alloc(12 * kMiB, kMain);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, "out-of-memory");
  EXPECT_EQ(allocator.alloc(~uint64_t{0}, kMain).error().code, "out-of-memory");
  free(block);
  EXPECT_EQ(alloc(12 * kMiB), block);
}

TEST_F(SimAllocator, ACaptureDoesNotEmptyTheCache) {
  device.limit = 20 * kMiB;
  free(alloc(12 * kMiB));
  capture();
  EXPECT_EQ(allocator.alloc(12 * kMiB, kMain).error().code, "out-of-memory");
  EXPECT_EQ(code(allocator.empty_cache()), "capture-underway");
  EXPECT_EQ(device.segments.size(), 1u);
  end();
  EXPECT_TRUE(allocator.empty_cache().ok());
  EXPECT_TRUE(device.segments.empty());
}

TEST_F(SimAllocator, RefusesWhatIsNoLiveBlock) {
  const uint64_t block = alloc(1024);
  EXPECT_EQ(code(allocator.free(block + 512)), "block-not-live");
  EXPECT_EQ(code(allocator.record_stream(12, kSide)), "block-not-live");
  free(block);
  EXPECT_EQ(code(allocator.free(block)), "block-not-live");
  EXPECT_EQ(code(allocator.record_stream(block, kSide)), "block-not-live");
}

TEST_F(SimAllocator, OneCaptureAtATimeFillsAPool) {
  capture();
  EXPECT_EQ(code(allocator.begin_capture(kPool, {})), "capture-pool");
  const auto third = [](StreamId stream) { return stream == kThird; };
  EXPECT_TRUE(allocator.begin_capture(PoolId(8), third).ok());  // another pool: at once
  EXPECT_EQ(allocator.alloc(512, kThird).value().pool, PoolId(8));
  EXPECT_EQ(allocator.alloc(512, kMain).value().pool, kPool);
  end();
  EXPECT_FALSE(allocator.alloc(512, kMain).value().pool.valid());
  allocator.end_capture(PoolId(8));
}

}  // namespace
}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// The caching allocator under random calls, watched by books of our own that hold what must be
// true after each: blocks tile their segments, no two free neighbours, no two lifetimes on the
// same bytes, the best fit taken, and no free completed before the streams it waits for. The last
// is tried with a device that lies, too: then the watch must complain.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "base/range.h"
#include "unit/sim_device.h"

namespace bohr::gpu::sim {
namespace {

using trace::HistoryAction;

constexpr int kStreams = 4;
constexpr int kPools = 3;

struct Watched {  // a lifetime whose free has not completed
  uint64_t bytes = 0;
  FreeList list;
  std::map<StreamId, bool> uses;  // true: named during a capture
  bool requested = false;
  bool in_capture = false;   // requested there
  size_t events_before = 0;  // the request
};

class Watch {
 public:
  explicit Watch(bool device_lies, uint64_t seed) : random_(seed) {
    device_.limit = 400 * kMiB;
    AllocatorDriver driver = device_.driver();
    if (device_lies) driver.done = [](EventToken) { return true; };
    const auto note = driver.note;
    driver.note = [this, note](const HistoryEntry& entry) {
      note(entry);
      if (entry.action == HistoryAction::free_completed) completed(entry);
    };
    allocator_.emplace(std::move(driver));
  }

  void step() {
    const uint64_t kind = below(100);
    if (kind < 42 || lifetimes_.empty()) {
      alloc();
    } else if (kind < 76 || lifetimes_.size() > 80) {
      free();
    } else if (kind < 88) {
      use();
    } else if (kind < 92) {
      device_.hold(any_stream());
    } else if (kind < 95) {
      device_.release();
    } else if (kind < 98) {
      capture();
    } else {
      drop_or_empty();
    }
    check_memory();
    device_.entries.clear();
  }

  const std::vector<std::string>& complaints() const { return complaints_; }
  const std::map<std::string, int>& seen() const { return seen_; }

 private:
  void alloc() {
    const StreamId stream = any_stream();
    const uint64_t bytes = any_size();
    const FreeList list{pool_of(stream), segment_kind(block_bytes(bytes)), stream};
    const auto before = allocator_->memory().blocks();
    const Result<Allocation> made = allocator_->alloc(bytes, stream);
    if (!made.ok()) {
      ++seen_["refused"];
      expect(made.error().code == "out-of-memory", "refused for another reason");
      return;
    }
    const uint64_t address = made.value().address;
    const PoolBlock& block = allocator_->memory().block(address);
    expect(made.value().pool == list.pool, "a block of another pool");
    expect(allocator_->memory().list_of(block) == list, "a block of another list");
    expect(block.bytes >= bytes, "a block that is too small");
    for (const auto& [other, lifetime] : lifetimes_) {
      expect(!ByteRange{other, other + lifetime.bytes}.overlaps({address, address + block.bytes}),
             "bytes handed out twice");
    }
    if (device_.entries.size() == 1) check_fit(before, list, block_bytes(bytes), address);
    lifetimes_[address] = {block.bytes, list, {}, false, false, 0};
  }

  // Nothing but the hand-out happened: the smallest free block that fits, then the lowest.
  void check_fit(const std::map<uint64_t, PoolBlock>& before, const FreeList& list, uint64_t bytes,
                 uint64_t address) {
    ++seen_["fitted"];
    std::optional<std::pair<uint64_t, uint64_t>> best;
    for (const auto& [at, block] : before) {
      if (block.state != BlockState::free || block.bytes < bytes) continue;
      if (allocator_->memory().list_of(block) != list) continue;
      if (!best || std::pair(block.bytes, at) < *best) best = {block.bytes, at};
    }
    expect(best && best->second == address, "not the best fit");
  }

  void free() {
    const auto lifetime = any_live();
    if (lifetime == lifetimes_.end()) return;
    lifetime->second.requested = true;
    lifetime->second.in_capture = !captures_.empty();
    lifetime->second.events_before = device_.events.size();
    expect(allocator_->free(lifetime->first).ok(), "a free refused");
  }

  void use() {
    const auto lifetime = any_live();
    if (lifetime == lifetimes_.end()) return;
    const StreamId stream = any_stream();
    expect(allocator_->record_stream(lifetime->first, stream).ok(), "a use refused");
    if (stream == lifetime->second.list.stream) return;
    bool& captured = lifetime->second.uses[stream];
    captured = captured || !captures_.empty();
  }

  void capture() {
    const PoolId pool(static_cast<int32_t>(below(kPools)));
    if (captures_.count(pool)) {
      allocator_->end_capture(pool);
      captures_.erase(pool);
      return;
    }
    std::set<StreamId> streams;
    for (int i = 0; i < kStreams; ++i) {
      const StreamId stream(i);
      if (below(2) == 0 && !pool_of(stream).valid()) streams.insert(stream);
    }
    const auto captures = [streams](StreamId stream) { return streams.count(stream) > 0; };
    if (!allocator_->begin_capture(pool, captures).ok()) return;
    captures_[pool] = streams;
    graphs_.push_back(pool);
  }

  void drop_or_empty() {
    if (!captures_.empty()) return;
    if (!graphs_.empty() && below(3) != 0) {
      std::swap(graphs_[below(graphs_.size())], graphs_.back());
      allocator_->drop_graph(graphs_.back());
      graphs_.pop_back();
    } else {
      expect(allocator_->empty_cache().ok(), "the cache not emptied");
    }
  }

  // Called by the allocator. Each use needs an event of its stream that was recorded after the
  // request and is done; a captured use, the end of all captures.
  void completed(const HistoryEntry& entry) {
    const auto lifetime = lifetimes_.find(entry.address);
    if (lifetime == lifetimes_.end() || !lifetime->second.requested) {
      complaints_.push_back("a free completed that nobody requested");
      return;
    }
    const Watched& watched = lifetime->second;
    for (const auto& [stream, captured] : watched.uses) {
      if (watched.in_capture) expect(captures_.empty(), "a captured free completed in a capture");
      if (captured && watched.in_capture) continue;
      ++seen_["waited"];
      expect(done_since(stream, watched.events_before), "completed while a stream may use it");
    }
    lifetimes_.erase(lifetime);
  }

  bool done_since(StreamId stream, size_t first) const {
    for (auto at = device_.events.lower_bound(EventToken(first)); at != device_.events.end();
         ++at) {
      if (at->second == stream && device_.pending.count(at->first) == 0) return true;
    }
    return false;
  }

  void check_memory() {
    const SegmentBlocks& memory = allocator_->memory();
    std::map<uint64_t, uint64_t> tiled;  // bytes of each segment's blocks so far
    size_t in_use = 0;
    const PoolBlock* previous = nullptr;
    for (const auto& [address, block] : memory.blocks()) {
      expect(address == block.segment + tiled[block.segment], "blocks do not tile their segment");
      tiled[block.segment] += block.bytes;
      const bool free = block.state == BlockState::free;
      if (previous && previous->segment == block.segment) {
        expect(!(free && previous->state == BlockState::free), "two free neighbours");
      }
      previous = &block;
      in_use += !free;
      if (free) continue;
      const auto lifetime = lifetimes_.find(address);
      expect(lifetime != lifetimes_.end() && lifetime->second.bytes == block.bytes &&
                 lifetime->second.requested == (block.state == BlockState::waiting),
             "a block and its lifetime differ");
    }
    expect(tiled == device_.segments, "segments and driver differ");
    expect(in_use == lifetimes_.size(), "lifetimes without a block");
  }

  void expect(bool holds, const char* otherwise) {
    if (!holds) complaints_.push_back(otherwise);
  }
  uint64_t below(uint64_t bound) { return random_() % bound; }
  StreamId any_stream() { return StreamId(static_cast<int32_t>(below(kStreams))); }
  uint64_t any_size() {
    const uint64_t kind = below(10);
    if (kind < 5) return 1 + below(8192);
    if (kind < 8) return 1 + below(kMiB);
    return 1 + below(kind == 8 ? 12 * kMiB : 40 * kMiB);
  }
  PoolId pool_of(StreamId stream) const {
    for (const auto& [pool, streams] : captures_) {
      if (streams.count(stream)) return pool;
    }
    return PoolId();
  }
  std::map<uint64_t, Watched>::iterator any_live() {
    auto lifetime = std::next(lifetimes_.begin(), below(lifetimes_.size()));
    while (lifetime != lifetimes_.end() && lifetime->second.requested) ++lifetime;
    return lifetime;
  }

  std::mt19937_64 random_;
  TestDevice device_;
  std::optional<CachingAllocator> allocator_;
  std::map<uint64_t, Watched> lifetimes_;  // by address
  std::map<PoolId, std::set<StreamId>> captures_;
  std::vector<PoolId> graphs_;
  std::vector<std::string> complaints_;
  std::map<std::string, int> seen_;
};

TEST(SimAllocatorRandom, KeepsItsPromisesOver100000Calls) {
  std::map<std::string, int> seen;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Watch watch(false, seed);
    for (int i = 0; i < 10000 && watch.complaints().empty(); ++i) watch.step();
    ASSERT_TRUE(watch.complaints().empty()) << "seed " << seed << ": " << watch.complaints()[0];
    for (const auto& [what, count] : watch.seen()) seen[what] += count;
  }
  EXPECT_GT(seen["fitted"], 10000);
  EXPECT_GT(seen["waited"], 1000);
  EXPECT_GT(seen["refused"], 100);
}

TEST(SimAllocatorRandom, TheWatchNoticesADeviceThatLies) {
  Watch watch(true, 0);
  for (int i = 0; i < 10000 && watch.complaints().empty(); ++i) watch.step();
  ASSERT_FALSE(watch.complaints().empty());
  EXPECT_EQ(watch.complaints()[0], "completed while a stream may use it");
}

}  // namespace
}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// Segments of the caching allocator and the blocks they are cut into.
//
// The blocks of a segment tile it; no two neighbours are free, because a block that becomes free
// is joined with those beside it. Free blocks stand in one sorted set, by free list, then bytes,
// then address, so the best fit is the first that is not too small. A free list is what blocks can
// be exchanged within: pool, kind and stream, all of which a block has from its segment.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.h"
#include "gpu/sim/segment_rules.h"

namespace bohr::gpu::sim {

struct FreeList {
  PoolId pool;  // none: the default pool
  SegmentKind kind = SegmentKind::small;
  StreamId stream;
  auto operator<=>(const FreeList&) const = default;
};

struct Segment {
  uint64_t address = 0;
  uint64_t bytes = 0;
  FreeList list;
};

// A block is waiting from the request to free it until other streams are done with it.
enum class BlockState : uint8_t { free, live, waiting };

struct PoolBlock {
  uint64_t bytes = 0;
  uint64_t segment = 0;  // its address
  BlockState state = BlockState::free;
  uint64_t requested = 0;  // what was asked for at the last hand-out
};

class SegmentBlocks {
 public:
  const std::map<uint64_t, Segment>& segments() const { return segments_; }  // by address
  const std::map<uint64_t, PoolBlock>& blocks() const { return blocks_; }    // by address

  void add(const Segment& segment);  // as one free block
  void remove(uint64_t segment);     // which is one free block
  // Segments of a pool that are one free block: by stream, then bytes, then address.
  std::vector<Segment> unused(PoolId pool, SegmentKind kind) const;
  bool has_segments(PoolId pool) const;

  std::optional<uint64_t> best_fit(const FreeList& list, uint64_t bytes) const;
  // Hands out the front of a free block.
  void hand_out(uint64_t address, uint64_t bytes, uint64_t requested);
  void wait(uint64_t address);      // live → waiting
  void put_back(uint64_t address);  // live or waiting → free
  const PoolBlock* live(uint64_t address) const;
  const PoolBlock& block(uint64_t address) const;
  const FreeList& list_of(const PoolBlock& block) const;

 private:
  struct FreeBlock {
    FreeList list;
    uint64_t bytes = 0;
    uint64_t address = 0;
    auto operator<=>(const FreeBlock&) const = default;
  };
  using Position = std::map<uint64_t, PoolBlock>::iterator;

  FreeBlock key(Position block) const;
  bool joinable(Position front, Position back) const;
  void join(Position front, Position back);

  std::map<uint64_t, Segment> segments_;
  std::map<uint64_t, PoolBlock> blocks_;
  std::set<FreeBlock> free_;
};

}  // namespace bohr::gpu::sim

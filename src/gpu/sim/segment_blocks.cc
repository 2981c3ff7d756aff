// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/segment_blocks.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace bohr::gpu::sim {

void SegmentBlocks::add(const Segment& segment) {
  const auto next = blocks_.lower_bound(segment.address);
  BOHR_CHECK(next == blocks_.end() || segment.address + segment.bytes <= next->first);
  BOHR_CHECK(next == blocks_.begin() ||
             std::prev(next)->first + std::prev(next)->second.bytes <= segment.address);
  segments_[segment.address] = segment;
  blocks_[segment.address] = {segment.bytes, segment.address, BlockState::free, 0};
  free_.insert({segment.list, segment.bytes, segment.address});
}

void SegmentBlocks::remove(uint64_t segment) {
  const auto block = blocks_.find(segment);
  BOHR_CHECK(block != blocks_.end() && block->second.state == BlockState::free);
  BOHR_CHECK(block->second.bytes == segments_.at(segment).bytes);
  free_.erase(key(block));
  blocks_.erase(block);
  segments_.erase(segment);
}

std::vector<Segment> SegmentBlocks::unused(PoolId pool, SegmentKind kind) const {
  std::vector<Segment> found;
  for (auto at = free_.lower_bound({{pool, kind, StreamId()}, 0, 0}); at != free_.end(); ++at) {
    if (at->list.pool != pool || at->list.kind != kind) break;
    const auto segment = segments_.find(at->address);
    if (segment != segments_.end() && segment->second.bytes == at->bytes) {
      found.push_back(segment->second);
    }
  }
  return found;
}

bool SegmentBlocks::has_segments(PoolId pool) const {
  return std::any_of(segments_.begin(), segments_.end(),
                     [&](const auto& entry) { return entry.second.list.pool == pool; });
}

std::optional<uint64_t> SegmentBlocks::best_fit(const FreeList& list, uint64_t bytes) const {
  const auto found = free_.lower_bound({list, bytes, 0});
  if (found == free_.end() || found->list != list) return std::nullopt;
  return found->address;
}

void SegmentBlocks::hand_out(uint64_t address, uint64_t bytes, uint64_t requested) {
  const auto block = blocks_.find(address);
  BOHR_CHECK(block != blocks_.end() && block->second.state == BlockState::free);
  BOHR_CHECK(bytes <= block->second.bytes);
  free_.erase(key(block));
  PoolBlock& front = block->second;
  const uint64_t remainder = front.bytes - bytes;
  if (leaves_over(list_of(front).kind, remainder)) {
    front.bytes = bytes;
    const auto rest =
        blocks_.emplace(address + bytes, PoolBlock{remainder, front.segment, BlockState::free, 0});
    free_.insert(key(rest.first));
  }
  front.state = BlockState::live;
  front.requested = requested;
}

void SegmentBlocks::wait(uint64_t address) {
  const auto block = blocks_.find(address);
  BOHR_CHECK(block != blocks_.end() && block->second.state == BlockState::live);
  block->second.state = BlockState::waiting;
}

void SegmentBlocks::put_back(uint64_t address) {
  auto block = blocks_.find(address);
  BOHR_CHECK(block != blocks_.end() && block->second.state != BlockState::free);
  block->second.state = BlockState::free;
  const auto next = std::next(block);
  if (joinable(block, next)) {
    free_.erase(key(next));
    join(block, next);
  }
  if (block != blocks_.begin() && joinable(std::prev(block), block)) {
    const auto front = std::prev(block);
    free_.erase(key(front));
    join(front, block);
    block = front;
  }
  free_.insert(key(block));
}

const PoolBlock* SegmentBlocks::live(uint64_t address) const {
  const auto block = blocks_.find(address);
  if (block == blocks_.end() || block->second.state != BlockState::live) return nullptr;
  return &block->second;
}

const PoolBlock& SegmentBlocks::block(uint64_t address) const {
  const auto block = blocks_.find(address);
  BOHR_CHECK(block != blocks_.end());
  return block->second;
}

const FreeList& SegmentBlocks::list_of(const PoolBlock& block) const {
  return segments_.at(block.segment).list;
}

SegmentBlocks::FreeBlock SegmentBlocks::key(Position block) const {
  return {list_of(block->second), block->second.bytes, block->first};
}

bool SegmentBlocks::joinable(Position front, Position back) const {
  return back != blocks_.end() && front->second.segment == back->second.segment &&
         front->second.state == BlockState::free && back->second.state == BlockState::free;
}

void SegmentBlocks::join(Position front, Position back) {
  front->second.bytes += back->second.bytes;
  blocks_.erase(back);
}

}  // namespace bohr::gpu::sim

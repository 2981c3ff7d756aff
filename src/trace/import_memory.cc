// SPDX-License-Identifier: Apache-2.0
#include "trace/import_memory.h"

#include <algorithm>
#include <array>

namespace bohr::trace {

namespace {

// Allocators hand out multiples of this; what lies between a block's asked-for end and the next
// multiple is its padding, where end pointers point to.
constexpr uint64_t kPadding = 512;

bool in_padding(const LiveBlock* before, uint64_t address) {
  return before && address >= before->range.end && address - before->range.end < kPadding &&
         address <= (before->range.end + kPadding - 1) / kPadding * kPadding;
}

}  // namespace

void join_overlapping(std::vector<ByteRange>* ranges) {
  std::sort(ranges->begin(), ranges->end());
  size_t kept = 0;
  for (const ByteRange& range : *ranges)
    if (range.empty())
      continue;
    else if (kept > 0 && range.begin < (*ranges)[kept - 1].end)
      (*ranges)[kept - 1].end = std::max((*ranges)[kept - 1].end, range.end);
    else
      (*ranges)[kept++] = range;
  ranges->resize(kept);
}

bool any_overlaps(const std::vector<ByteRange>& joined, ByteRange range) {
  auto it = std::upper_bound(joined.begin(), joined.end(), ByteRange{range.begin, UINT64_MAX});
  if (it != joined.begin() && std::prev(it)->overlaps(range)) return true;
  return it != joined.end() && it->overlaps(range);
}

std::string size_text(uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {" B", " KiB", " MiB", " GiB", " TiB"};
  size_t unit = 0;
  uint64_t scale = 1;
  while (unit + 1 < kUnits.size() && bytes / scale >= 1024) scale *= 1024, ++unit;
  std::string text = std::to_string(bytes / scale);
  const uint64_t tenths = bytes % scale * 10 / scale;
  if (tenths != 0) text += "." + std::to_string(tenths);
  return text + kUnits[unit];
}

void MemoryMap::set_unplaced(std::vector<ByteRange> ranges) {
  unplaced_ = std::move(ranges);
  join_overlapping(&unplaced_);
}

bool MemoryMap::unplaced(uint64_t address) const {
  auto it = std::upper_bound(unplaced_.begin(), unplaced_.end(), ByteRange{address, UINT64_MAX});
  return it != unplaced_.begin() && address < std::prev(it)->end;
}

LifetimeId MemoryMap::add(LiveRanges* layer, ByteRange range, Lifetime lifetime, uint64_t seq,
                          std::vector<LifetimeId>* evicted) {
  if (range.empty()) {
    diagnostics_->add("unknown-allocation", "an allocation without bytes or beyond all addresses",
                      seq);
    return LifetimeId();
  }
  const LifetimeId id(program_->lifetimes.size());
  lifetime.bytes = range.size();
  lifetime.pieces = {{range, 0}};
  program_->lifetimes.push_back(std::move(lifetime));
  segment_.push_back(false);
  lowest_ = std::min(lowest_, range.begin);
  for (const LiveBlock& old : layer->insert({range, id})) {
    evicted->push_back(old.lifetime);
    diagnostics_->add("allocator-order-unknown", "memory was handed out again before it was freed",
                      seq);
  }
  return id;
}

LifetimeId MemoryMap::begin_allocation(uint64_t address, uint64_t bytes, Lifetime lifetime,
                                       uint64_t seq, std::vector<LifetimeId>* evicted) {
  return add(&allocations_, {address, address + bytes}, std::move(lifetime), seq, evicted);
}

LifetimeId MemoryMap::begin_block(uint64_t address, uint64_t bytes, Lifetime lifetime, uint64_t seq,
                                  std::vector<LifetimeId>* evicted) {
  const ByteRange range{address, address + bytes};
  if (!range.empty()) mark_segments(range);
  return add(&blocks_, range, std::move(lifetime), seq, evicted);
}

// An expandable segment is mapped in parts, so a block may lie in several.
void MemoryMap::mark_segments(ByteRange block) {
  const LiveBlock* segment = allocations_.find(block.begin);
  if (!segment) segment = allocations_.first_after(block.begin);
  while (segment && segment->range.begin < block.end) {
    segment_[segment->lifetime.index()] = true;
    segment = allocations_.first_after(segment->range.begin);
  }
}

bool MemoryMap::end_block(uint64_t address, LifetimeId lifetime) {
  const LiveBlock* block = blocks_.find(address);
  if (!block || block->lifetime != lifetime) return false;
  blocks_.erase(address);
  return true;
}

Owner MemoryMap::owner(uint64_t address) const {
  const LiveBlock* before = blocks_.last_before(address);
  if (before && address < before->range.end) return {before->lifetime, before->range};
  const LiveBlock* allocation = allocations_.find(address);
  if (!allocation) return {};
  Owner owner{allocation->lifetime, allocation->range};
  if (!segment_[allocation->lifetime.index()]) return owner;
  if (unplaced(address)) {
    owner.doubt = Doubt::unknown_extent;
    return owner;
  }
  return {LifetimeId(), {}, Doubt::none, !in_padding(before, address)};
}

uint64_t MemoryMap::next_owned(uint64_t address) const {
  uint64_t next = UINT64_MAX;
  if (const LiveBlock* block = blocks_.first_after(address)) next = block->range.begin;
  if (const LiveBlock* allocation = allocations_.first_after(address))
    next = std::min(next, allocation->range.begin);
  return next;
}

}  // namespace bohr::trace

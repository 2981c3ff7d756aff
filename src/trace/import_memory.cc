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

LifetimeId MemoryMap::push(Lifetime lifetime, std::vector<Piece> pieces, uint64_t bytes) {
  const LifetimeId id(program_->lifetimes.size());
  lifetime.bytes = bytes;
  lifetime.pieces = std::move(pieces);
  program_->lifetimes.push_back(std::move(lifetime));
  segment_.push_back(false);
  mapped_.push_back(false);
  shared_.push_back(false);
  return id;
}

LifetimeId MemoryMap::add(LiveRanges* layer, ByteRange range, Lifetime lifetime, uint64_t seq,
                          std::vector<LifetimeId>* evicted) {
  if (range.empty()) {
    diagnostics_->add("unknown-allocation", "an allocation without bytes or beyond all addresses",
                      seq);
    return LifetimeId();
  }
  const LifetimeId id = push(std::move(lifetime), places(range), range.size());
  left_to_graphs_.take_out(range);
  lowest_ = std::min(lowest_, range.begin);
  for (const LiveBlock& old : layer->insert({range, id, 0})) {
    evicted->push_back(old.lifetime);
    diagnostics_->add("allocator-order-unknown", "memory was handed out again before it was freed",
                      seq);
  }
  return id;
}

LifetimeId MemoryMap::begin_shared(ByteRange place, Lifetime lifetime) {
  const LifetimeId id = push(std::move(lifetime), {{place, 0}}, place.size());
  shared_[id.index()] = any_shared_ = true;
  return id;
}

void MemoryMap::show(LifetimeId shared, ByteRange addresses, uint64_t offset,
                     std::vector<LifetimeId>* evicted) {
  lowest_ = std::min(lowest_, addresses.begin);
  left_to_graphs_.take_out(addresses);
  for (const LiveBlock& old : allocations_.insert({addresses, shared, offset}))
    if (old.lifetime != shared) evicted->push_back(old.lifetime);
}

// Where the bytes of a range of addresses lie now.
std::vector<Piece> MemoryMap::places(ByteRange addresses) const {
  if (!any_shared_) return {{addresses, 0}};
  std::vector<Piece> pieces;
  for (uint64_t at = addresses.begin; at < addresses.end;) {
    const LiveBlock* allocation = allocations_.find(at);
    const LiveBlock* next = allocations_.first_after(at);
    uint64_t end = next ? std::min(addresses.end, next->range.begin) : addresses.end;
    if (allocation) end = std::min(end, allocation->range.end);
    uint64_t place = at;
    if (allocation && shared_[allocation->lifetime.index()]) {
      const Lifetime& shared = program_->lifetimes[allocation->lifetime.index()];
      place =
          shared.pieces.front().range.begin + allocation->offset + (at - allocation->range.begin);
    }
    const bool goes_on = !pieces.empty() && pieces.back().range.end == place;
    if (goes_on)
      pieces.back().range.end += end - at;
    else
      pieces.push_back({{place, place + (end - at)}, at - addresses.begin});
    at = end;
  }
  return pieces;
}

void MemoryMap::append(const Access& access, const Owner& owner,
                       std::vector<Access>* accesses) const {
  const uint64_t offset = owner.offset + (access.range.begin - owner.range.begin);
  for (const Piece& piece : program_->lifetimes[owner.lifetime.index()].pieces) {
    const ByteRange has{piece.offset, piece.offset + piece.range.size()};
    const ByteRange part = has.intersection({offset, offset + access.range.size()});
    if (part.empty()) continue;
    Access placed = access;
    placed.range.begin = piece.range.begin + (part.begin - piece.offset);
    placed.range.end = placed.range.begin + part.size();
    placed.offset = part.begin;
    // A pointer at its place, where this part holds it; else the part's own begin stands for it.
    if (access.address != 0) {
      const uint64_t pointed = owner.offset + (access.address - owner.range.begin);
      const bool here = pointed >= has.begin && pointed < has.end;
      placed.address = here ? piece.range.begin + (pointed - piece.offset) : placed.range.begin;
    }
    accesses->push_back(placed);
  }
}

LifetimeId MemoryMap::allocation_at(uint64_t address) const {
  const LiveBlock* block = allocations_.find(address);
  return block && block->range.begin == address ? block->lifetime : LifetimeId();
}

const LiveBlock* MemoryMap::mapping_at(uint64_t address) const {
  const LiveBlock* block = allocations_.find(address);
  return block && mapped_[block->lifetime.index()] ? block : nullptr;
}

const LiveBlock* MemoryMap::mapping_before(uint64_t address) const {
  return address == 0 ? nullptr : mapping_at(address - 1);
}

bool MemoryMap::neighbours(const Owner& owner, size_t most, std::vector<Owner>* list) const {
  const LiveBlock* own = mapping_at(owner.range.begin);
  if (!own || own->range != owner.range) return true;
  const auto add = [&](const LiveBlock& block) {
    Owner one{block.lifetime, block.range, Doubt::unknown_extent};
    one.offset = block.offset;
    list->push_back(one);
  };
  size_t left = most, right = most;
  const LiveBlock* below = mapping_before(own->range.begin);
  for (; below && left > 0; --left, below = mapping_before(below->range.begin)) add(*below);
  const LiveBlock* above = mapping_at(own->range.end);
  for (; above && right > 0; --right, above = mapping_at(above->range.end)) add(*above);
  return !below && !above;
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
    // Of memory with several addresses, not all need be the framework's.
    if (!shared_[segment->lifetime.index()]) segment_[segment->lifetime.index()] = true;
    segment = allocations_.first_after(segment->range.begin);
  }
}

bool MemoryMap::end_block(uint64_t address, LifetimeId lifetime, bool stays_of_graph) {
  const LiveBlock* block = blocks_.find(address);
  if (!block || block->lifetime != lifetime) return false;
  const LiveBlock ended = blocks_.erase(address);
  if (stays_of_graph) left_to_graphs_.insert(ended);
  return true;
}

Owner MemoryMap::owner(uint64_t address) const {
  const LiveBlock* before = blocks_.last_before(address);
  if (before && address < before->range.end) return {before->lifetime, before->range};
  const LiveBlock* allocation = allocations_.find(address);
  if (!allocation) return {};
  Owner owner{allocation->lifetime, allocation->range};
  owner.offset = allocation->offset;
  if (unplaced(address)) {
    owner.doubt = Doubt::unknown_extent;
    return owner;
  }
  if (!segment_[allocation->lifetime.index()]) return owner;
  const LiveBlock* left = left_to_graphs_.last_before(address);
  if (left && address < left->range.end) return {left->lifetime, left->range};
  return {
      LifetimeId(), {}, Doubt::none, !in_padding(before, address) && !in_padding(left, address)};
}

uint64_t MemoryMap::next_owned(uint64_t address) const {
  uint64_t next = UINT64_MAX;
  for (const LiveRanges* layer : {&blocks_, &left_to_graphs_, &allocations_})
    if (const LiveBlock* first = layer->first_after(address))
      next = std::min(next, first->range.begin);
  return next;
}

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
#include "trace/import_live.h"

namespace bohr::trace {

const LiveBlock* LiveRanges::last_before(uint64_t address) const {
  auto it = ranges_.upper_bound(address);
  return it == ranges_.begin() ? nullptr : &std::prev(it)->second;
}

const LiveBlock* LiveRanges::find(uint64_t address) const {
  const LiveBlock* block = last_before(address);
  return block && address < block->range.end ? block : nullptr;
}

const LiveBlock* LiveRanges::first_after(uint64_t address) const {
  const auto it = ranges_.upper_bound(address);
  return it == ranges_.end() ? nullptr : &it->second;
}

std::vector<LiveBlock> LiveRanges::insert(const LiveBlock& block) {
  std::vector<LiveBlock> evicted = take_out(block.range);
  ranges_[block.range.begin] = block;
  return evicted;
}

std::vector<LiveBlock> LiveRanges::take_out(ByteRange range) {
  std::vector<LiveBlock> taken;
  auto it = ranges_.upper_bound(range.begin);
  if (it != ranges_.begin() && std::prev(it)->second.range.overlaps(range)) --it;
  while (it != ranges_.end() && it->second.range.overlaps(range)) {
    taken.push_back(it->second);
    it = ranges_.erase(it);
  }
  return taken;
}

LiveBlock LiveRanges::erase(uint64_t begin) {
  const auto it = ranges_.find(begin);
  if (it == ranges_.end()) return {};
  const LiveBlock block = it->second;
  ranges_.erase(it);
  return block;
}

}  // namespace bohr::trace

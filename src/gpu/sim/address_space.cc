// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/address_space.h"

namespace bohr::gpu::sim {

namespace {

constexpr uint64_t kGranule = 512;
constexpr uint64_t kLarge = uint64_t{2} << 20;

uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

uint64_t AddressSpace::take(uint64_t bytes) {
  if (bytes == 0 || bytes > range_.size()) return 0;
  const uint64_t size = round_up(bytes, kGranule);
  const uint64_t alignment = size >= kLarge ? kLarge : kGranule;
  uint64_t gap = range_.begin;
  auto next = taken_.begin();
  while (true) {
    const uint64_t begin = range_.begin + round_up(gap - range_.begin, alignment);
    const uint64_t limit = next == taken_.end() ? range_.end : next->first;
    if (begin <= limit && size <= limit - begin) {
      taken_[begin] = begin + size;
      return begin;
    }
    if (next == taken_.end()) return 0;
    gap = next->second;
    ++next;
  }
}

uint64_t AddressSpace::give_back(uint64_t address) {
  const auto it = taken_.find(address);
  if (it == taken_.end()) return 0;
  const uint64_t bytes = it->second - it->first;
  taken_.erase(it);
  return bytes;
}

bool AddressSpace::holds(ByteRange range) const {
  uint64_t at = range.begin;
  while (at < range.end) {
    auto it = taken_.upper_bound(at);
    if (it == taken_.begin()) return false;
    --it;
    if (it->second <= at) return false;
    at = it->second;
  }
  return true;
}

}  // namespace bohr::gpu::sim

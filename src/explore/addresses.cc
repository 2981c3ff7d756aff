// SPDX-License-Identifier: Apache-2.0
#include "explore/addresses.h"

#include <algorithm>
#include <cstring>

namespace bohr::explore {

std::vector<ByteRange> memory_of(const Program& program) {
  std::vector<ByteRange> memory;
  for (const Lifetime& lifetime : program.lifetimes)
    for (const Piece& piece : lifetime.pieces) memory.push_back(piece.range);
  return merged(std::move(memory));
}

bool holds_addresses(std::span<const ByteRange> memory, std::span<const uint8_t> bytes) {
  if (memory.empty()) return false;
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (word == 0 || word < memory.front().begin || word >= memory.back().end) continue;
    const auto after = std::upper_bound(
        memory.begin(), memory.end(), word,
        [](uint64_t address, const ByteRange& range) { return address < range.begin; });
    if (after != memory.begin() && word < std::prev(after)->end) return true;
  }
  return false;
}

}  // namespace bohr::explore

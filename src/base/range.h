// SPDX-License-Identifier: Apache-2.0
// A half-open range of bytes.
#pragma once

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bohr {

struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  constexpr bool empty() const { return begin >= end; }
  constexpr uint64_t size() const { return empty() ? 0 : end - begin; }
  constexpr bool overlaps(const ByteRange& other) const {
    return std::max(begin, other.begin) < std::min(end, other.end);
  }
  constexpr bool contains(const ByteRange& other) const {
    return begin <= other.begin && other.end <= end;
  }
  constexpr ByteRange intersection(const ByteRange& other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
  constexpr auto operator<=>(const ByteRange&) const = default;
};

// "0x7f0000001000+4096".
inline std::string address_text(const ByteRange& range) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, range.begin, 16).ptr;
  return "0x" + std::string(digits, end) + "+" + std::to_string(range.size());
}

// Sorted, without overlaps or neighbours that touch.
inline std::vector<ByteRange> merged(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end());
  size_t kept = 0;
  for (const ByteRange& range : ranges) {
    if (range.empty()) continue;
    if (kept > 0 && range.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
  return ranges;
}

// What of `ranges` lies in none of `holes`; both sorted and disjoint.
inline std::vector<ByteRange> without(std::span<const ByteRange> ranges,
                                      std::span<const ByteRange> holes) {
  std::vector<ByteRange> left;
  for (ByteRange range : ranges) {
    auto hole = std::lower_bound(holes.begin(), holes.end(), range.begin,
                                 [](const ByteRange& h, uint64_t at) { return h.end <= at; });
    for (; hole != holes.end() && hole->begin < range.end; ++hole) {
      if (hole->empty()) continue;
      if (range.begin < hole->begin) left.push_back({range.begin, hole->begin});
      range.begin = hole->end;
    }
    if (!range.empty()) left.push_back(range);
  }
  return left;
}

}  // namespace bohr

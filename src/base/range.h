// SPDX-License-Identifier: Apache-2.0
// A half-open range of bytes.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

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

}  // namespace bohr

// SPDX-License-Identifier: Apache-2.0
// A set of bytes as disjoint ranges. No range that is asked for or given is empty.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

#include "base/range.h"

namespace bohr {

class ByteSet {
 public:
  void add(ByteRange range) {
    auto it = ranges_.upper_bound(range.begin);
    if (it != ranges_.begin() && std::prev(it)->second >= range.begin) --it;
    while (it != ranges_.end() && it->first <= range.end) {
      range = {std::min(range.begin, it->first), std::max(range.end, it->second)};
      it = ranges_.erase(it);
    }
    ranges_[range.begin] = range.end;
  }
  void remove(ByteRange range) {
    auto it = ranges_.upper_bound(range.begin);
    if (it != ranges_.begin()) --it;
    while (it != ranges_.end() && it->first < range.end) {
      const ByteRange old{it->first, it->second};
      if (old.end <= range.begin) {
        ++it;
        continue;
      }
      it = ranges_.erase(it);
      if (old.begin < range.begin) ranges_[old.begin] = range.begin;
      if (old.end > range.end) ranges_[range.end] = old.end;
    }
  }
  // All of the range, or some of it.
  bool contains(ByteRange range) const {
    const auto it = ranges_.upper_bound(range.begin);
    return it != ranges_.begin() && std::prev(it)->second >= range.end;
  }
  bool meets(ByteRange range) const {
    const auto it = ranges_.lower_bound(range.end);
    return it != ranges_.begin() && std::prev(it)->second > range.begin;
  }

 private:
  std::map<uint64_t, uint64_t> ranges_;  // begin to end; none touch
};

}  // namespace bohr

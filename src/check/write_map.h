// SPDX-License-Identifier: Apache-2.0
// Who wrote each byte last, as disjoint ranges.
#pragma once

#include <map>

#include "base/range.h"
#include "check/pairs.h"

namespace bohr::check {

struct Written {
  Place place;
  LifetimeId lifetime;
  int32_t access = 0;
  bool certain = true;  // false: it may only have been read
};

class WriteMap {
 public:
  void write(ByteRange range, const Written& by);
  // Calls visit(range, written) for each part of `range` that was written.
  template <class Visit>
  void visit(ByteRange range, Visit&& visit) const {
    auto it = parts_.upper_bound(range.begin);
    if (it != parts_.begin()) --it;
    for (; it != parts_.end() && it->first < range.end; ++it) {
      const ByteRange part = ByteRange{it->first, it->second.end}.intersection(range);
      if (!part.empty()) visit(part, it->second.by);
    }
  }

 private:
  struct Part {
    uint64_t end;
    Written by;
  };
  void split(uint64_t at);
  std::map<uint64_t, Part> parts_;
};

}  // namespace bohr::check

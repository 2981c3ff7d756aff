// SPDX-License-Identifier: Apache-2.0
// A write cuts the parts at its ends and replaces what lies between.
#include "check/write_map.h"

#include <iterator>

namespace bohr::check {

void WriteMap::split(uint64_t at) {
  auto it = parts_.lower_bound(at);
  if (it == parts_.begin()) return;
  --it;
  if (it->second.end <= at) return;
  parts_.emplace(at, Part{it->second.end, it->second.by});
  it->second.end = at;
}

void WriteMap::write(ByteRange range, const Written& by) {
  if (range.empty()) return;
  split(range.begin);
  split(range.end);
  parts_.erase(parts_.lower_bound(range.begin), parts_.lower_bound(range.end));
  parts_.emplace(range.begin, Part{range.end, by});
}

}  // namespace bohr::check

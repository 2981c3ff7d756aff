// SPDX-License-Identifier: Apache-2.0
// The memory that is handed out at one moment, by address, in one layer: disjoint ranges, each with
// the lifetime that has it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "base/range.h"

namespace bohr::trace {

struct LiveBlock {
  ByteRange range;
  LifetimeId lifetime;
  uint64_t offset = 0;  // of range.begin from the lifetime's first byte
};

class LiveRanges {
 public:
  // The range that holds `address`; null when none does.
  const LiveBlock* find(uint64_t address) const;
  // The last range that begins at or before `address`; null when there is none.
  const LiveBlock* last_before(uint64_t address) const;
  // The first range that begins after `address`; null when there is none.
  const LiveBlock* first_after(uint64_t address) const;
  // Adds a range and takes out those that it overlaps, which are returned.
  std::vector<LiveBlock> insert(const LiveBlock& block);
  // Takes out the ranges that `range` overlaps and returns them.
  std::vector<LiveBlock> take_out(ByteRange range);
  // Takes out the range that begins at `begin`; an invalid lifetime when there is none.
  LiveBlock erase(uint64_t begin);

 private:
  std::map<uint64_t, LiveBlock> ranges_;
};

}  // namespace bohr::trace

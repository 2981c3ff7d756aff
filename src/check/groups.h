// SPDX-License-Identifier: Apache-2.0
// The accesses of one arena (the ops outside graphs, or the nodes of one graph) by byte range.
//
// A group holds all accesses to one exact range; its lists split them by chain, by early part or
// rest, and by what they do. Along a list both positions and rows grow, which is what makes the
// search for unordered pairs a matter of moving two fingers (windows.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/range.h"
#include "model/access.h"
#include "order/clocks.h"

namespace bohr::check {

enum class Effect : uint8_t { read, write, atomic };

inline Effect effect_of(AccessMode mode) {
  if (mode == AccessMode::read) return Effect::read;
  return mode == AccessMode::atomic ? Effect::atomic : Effect::write;
}

// Two reads do not conflict, nor do two atomics.
inline bool conflict(Effect a, Effect b) {
  return a == Effect::write || b == Effect::write || a != b;
}

struct Entry {
  int32_t step = 0;    // in the arena's clocks
  int32_t op = 0;      // op or node
  int32_t access = 0;  // in the arena's access table
};

struct List {
  int32_t chain = 0;
  bool early = false;
  Effect effect = Effect::read;
  uint32_t begin = 0;  // entries
  uint32_t end = 0;
};

struct Group {
  ByteRange range;
  uint32_t begin = 0;  // lists
  uint32_t end = 0;
};

struct Groups {
  std::vector<Entry> entries;
  std::vector<List> lists;
  std::vector<Group> groups;  // by begin, then end

  std::span<const Entry> of(const List& list) const {
    return {entries.data() + list.begin, entries.data() + list.end};
  }
  std::span<const List> of(const Group& group) const {
    return {lists.data() + group.begin, lists.data() + group.end};
  }
};

struct Placed {
  Entry entry;
  ByteRange range;
  bool early = false;
  Effect effect = Effect::read;
};

// `placed` must have positions that grow along each chain.
Groups make_groups(const std::vector<Placed>& placed, const order::Clocks& clocks);

// Calls visit(i, j) for each pair of overlapping groups, i of a and j of b. With a == b each
// unordered pair comes once, and each group with itself.
void overlapping_groups(const Groups& a, const Groups& b,
                        const std::function<void(size_t, size_t)>& visit);

}  // namespace bohr::check

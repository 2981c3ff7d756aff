// SPDX-License-Identifier: Apache-2.0
// Unordered pairs between two lists of steps.
//
// A list is totally ordered: steps of one chain, early parts of one chain (which share the chain's
// positions), or the launches of one exec. Take x of one list. Of the other list, the steps before
// x are a prefix and the steps after x a suffix, because both relations pass along the list's own
// order. What lies between is a window, and every step in it is unordered with x. As x moves along
// its list both ends of the window only move forward, so two fingers with galloping search find all
// windows in O(n log m).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "check/groups.h"
#include "order/clocks.h"

namespace bohr::check {

// Where a window's ends stand between calls; start from zero for each pair of lists.
struct Fingers {
  size_t low = 0;   // first step of the list that is not before x
  size_t high = 0;  // first step of the list, from low on, that is after x
};

// Moves the fingers over `list` for the next x; x's must come in the order of their list.
void advance(const order::Clocks& clocks, int32_t x, std::span<const Entry> list, Fingers* fingers);

// Calls pair(x, y) for the unordered pairs of two lists of one arena, at most `limit` times, and
// returns how many there are. A list with itself gives each pair once.
template <class Pair>
int64_t unordered_pairs(const order::Clocks& clocks, std::span<const Entry> left,
                        std::span<const Entry> right, int64_t limit, Pair&& pair) {
  const bool itself = left.data() == right.data();
  Fingers fingers;
  int64_t count = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    advance(clocks, left[i].step, right, &fingers);
    for (size_t j = itself ? std::max(i + 1, fingers.low) : fingers.low; j < fingers.high; ++j) {
      if (right[j].op == left[i].op) continue;
      if (count >= limit) {
        count += static_cast<int64_t>(fingers.high - j);
        break;
      }
      ++count;
      pair(left[i], right[j]);
    }
  }
  return count;
}

}  // namespace bohr::check

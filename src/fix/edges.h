// SPDX-License-Identifier: Apache-2.0
// The fewest edges that order given pairs.
//
// An edge a -> b orders the pair (x, y) when x is a or before it and b is y or before it; edges
// also do so one after the other. Candidates are the edges that point forward in one legal order,
// so no set of them makes a cycle. A greedy set cover comes first: the edge that by itself orders
// most of what is left, of equals the one with most room between its ends, which makes nobody wait
// longer than need be. Where these are few, a search then looks for fewer: it branches on the edges
// over which the way between the sides of a pair that is left may go on, so it would visit every
// set; it ends after counted work.
//
// In larger graphs only the pairs' own sides are tried as ends.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace bohr::fix {

// Two places, by number; the first is to come before the second.
using Ordered = std::pair<int32_t, int32_t>;

struct Places {
  std::span<const int32_t> all;                  // that an edge may begin or end at
  std::function<bool(int32_t, int32_t)> before;  // the order that exists
  std::function<int64_t(int32_t)> place;         // in the legal order that edges must follow
};

// Each pair is unordered, and points forward in that legal order.
std::vector<Ordered> covering_edges(const std::vector<Ordered>& pairs, const Places& places);

}  // namespace bohr::fix

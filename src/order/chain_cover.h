// SPDX-License-Identifier: Apache-2.0
// The fewest chains that cover a partial order (Dilworth): as many as its largest antichain has
// elements.
//
// A cover by chains links elements, each to at most one later and from at most one earlier element;
// every link saves a chain. As the order is transitive any two ordered elements may be linked, so
// the fewest chains are the elements less a largest matching between earlier and later ones, which
// Hopcroft and Karp's method finds in O(links * sqrt(elements)).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "order/clocks.h"

namespace bohr::order {

// For each of `count` elements the number of its chain; chains are numbered from 0 by their least
// element. `before` is asked for every pair.
std::vector<int32_t> fewest_chains(int32_t count,
                                   const std::function<bool(int32_t, int32_t)>& before);

// Beyond so many elements it takes longer to find the fewest chains than to have more of them.
constexpr size_t kMostElements = 2000;

// Whether streams that are chains may be parts of longer ones.
enum class Streams : uint8_t { stay_apart, may_be_linked };

// A cover of steps by fewer than `chains` chains in which streams that are chains stay whole; the
// others' steps are covered one by one. `streams`: the steps in `clocks` of each, in an order in
// which all arrows point forward. The chain of each step, -1 for those not named; empty where there
// are no fewer, or too many elements to say.
std::vector<int32_t> smaller_cover(const Clocks& clocks, int32_t chains,
                                   const std::vector<std::vector<int32_t>>& streams, Streams rule);

}  // namespace bohr::order

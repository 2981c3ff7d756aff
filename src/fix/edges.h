// SPDX-License-Identifier: Apache-2.0
// A small set of edges that orders given pairs.
//
// An edge a -> b orders the pair (x, y) when x is a or before it and b is y or before it. So edges
// between the pairs' own sides are candidates, and which of them to take is a set cover: the one
// that orders most of what is left comes first, of equals the one that gives the most room (a
// issued last would wait longest: the earliest a and the latest b win), and in the end each that
// the others make superfluous goes. All candidates point forward in one legal order, so no set of
// them makes a cycle.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace bohr::fix {

// Two places, by number; the first is to come before the second.
using Ordered = std::pair<int32_t, int32_t>;

// `before`: the order that exists. `place`: of each place in the legal order that all edges must
// follow. Each pair is unordered, and points forward there.
std::vector<Ordered> covering_edges(const std::vector<Ordered>& pairs,
                                    const std::function<bool(int32_t, int32_t)>& before,
                                    const std::function<int64_t(int32_t)>& place);

}  // namespace bohr::fix

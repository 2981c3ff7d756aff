// SPDX-License-Identifier: Apache-2.0
// Nodes that wait for something that no edge shows: a value in memory, an external event or
// semaphore. Whoever satisfies such a wait comes before all that follows it, and who that is may
// not be known, so a node behind a wait is not known to be unordered with a node that is not.
#pragma once

#include <cstdint>
#include <vector>

#include "model/program.h"

namespace bohr::check {

// For each node of a graph the waits that it comes behind, or is, as bits; empty for graphs without
// any. Waits beyond the 63rd share the last bit.
using WaitsBefore = std::vector<uint64_t>;

WaitsBefore waits_before(const Graph& graph);

// Whether a wait may order two nodes.
constexpr bool waits_differ(uint64_t a, uint64_t b) {
  constexpr uint64_t kShared = uint64_t{1} << 63;
  return a != b || (a & kShared) != 0;
}

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// Bits are passed along full edges until none changes: each of 64 reaches a node once, so this
// ends.
#include "check/foreign_waits.h"

#include <algorithm>

namespace bohr::check {

WaitsBefore waits_before(const Graph& graph) {
  WaitsBefore before;
  std::vector<size_t> changed;
  int waits = 0;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!graph.nodes[n].order_unknown) continue;
    before.resize(graph.nodes.size(), 0);
    before[n] = uint64_t{1} << std::min(waits++, 63);
    changed.push_back(n);
  }
  if (changed.empty()) return before;
  std::vector<std::vector<size_t>> behind(graph.nodes.size());
  for (const Edge& edge : graph.edges)
    if (edge.kind == EdgeKind::full) behind[edge.from.index()].push_back(edge.to.index());
  while (!changed.empty()) {
    const size_t node = changed.back();
    changed.pop_back();
    for (const size_t next : behind[node]) {
      if ((before[node] & ~before[next]) == 0) continue;
      before[next] |= before[node];
      changed.push_back(next);
    }
  }
  return before;
}

}  // namespace bohr::check

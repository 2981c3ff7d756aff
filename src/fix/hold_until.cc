// SPDX-License-Identifier: Apache-2.0
#include "fix/hold_until.h"

#include <algorithm>

namespace bohr::fix {

Point join_after(const Setting& setting, LifetimeId block) {
  const Program& program = setting.program;
  const Lifetime& lifetime = program.lifetimes[block.index()];
  if (!lifetime.free.known()) return {};
  const GraphId graph = lifetime.free.graph;
  const std::vector<UseOf> uses = uses_of(setting, block);
  const std::vector<Op>& places = graph.valid() ? program.graphs[graph.index()].nodes : program.ops;
  for (auto i = static_cast<size_t>(lifetime.free.index); i < places.size(); ++i) {
    if (places[i].stream != lifetime.owner) continue;
    const Point point{graph, static_cast<int32_t>(i)};
    const bool joined = std::all_of(uses.begin(), uses.end(), [&](const UseOf& use) {
      return done_before(setting, use, point);
    });
    if (!joined) continue;
    // A wait is the join itself: the block is given back behind it.
    const bool runs = graph.valid() || is_work(places[i].kind) || places[i].kind == OpKind::launch;
    return {graph, point.index + (runs ? 0 : 1)};
  }
  // A capture ends with all its streams joined.
  return graph.valid() ? Point{graph, static_cast<int32_t>(places.size())} : Point();
}

}  // namespace bohr::fix

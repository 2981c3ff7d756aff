// SPDX-License-Identifier: Apache-2.0
#include "app/lost_orders.h"

#include "base/hash.h"

namespace bohr::app {

uint64_t work_key(const Graph& graph, const Program& program) {
  uint64_t key = combine(hash(graph.name), graph.nodes.size());
  for (const Op& node : graph.nodes) {
    key = combine(key, static_cast<uint64_t>(node.kind));
    key = combine(key, hash(label_of(program, node)));
  }
  for (const Edge& edge : graph.edges) {
    key = combine(key, edge.from.index());
    key = combine(key, edge.to.index());
    key = combine(key, static_cast<uint64_t>(edge.kind));
  }
  return key;
}

}  // namespace bohr::app

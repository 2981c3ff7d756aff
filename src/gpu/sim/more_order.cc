// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/more_order.h"

#include <string>

#include "base/forward_order.h"

namespace bohr::gpu::sim {

namespace {

Error refused(const Tape& tape, const Item& item) {
  return {"sim-order", name_of(work_of(tape, item)), "",
          "it would wait for work that comes after it", "give it order that it can have"};
}

// Fewer than all of the nodes when they wait in a circle.
std::vector<int32_t> order_of(const GraphVersion& graph,
                              const std::vector<std::pair<int32_t, int32_t>>& more) {
  std::vector<std::pair<int32_t, int32_t>> edges = more;
  for (const GraphEdge& edge : graph.edges) edges.emplace_back(edge.from, edge.to);
  return forward_order(graph.nodes.size(), edges);
}

bool in_turn(Part first, Part second) {
  return (first == Part::early && second == Part::rest) ||
         (first == Part::source && second == Part::destination);
}

}  // namespace

Result<MoreOrder> MoreOrder::of(const Tape& tape, const std::vector<std::pair<Item, Item>>& pairs) {
  MoreOrder order;
  std::map<int32_t, std::vector<std::pair<int32_t, int32_t>>> inside;
  for (const auto& [from, to] : pairs) {
    if (from.op > to.op) return refused(tape, to);
    if (from.op == to.op && from.node == to.node) {
      if (!in_turn(from.part, to.part)) return refused(tape, to);
      continue;  // it is so already
    }
    if (from.op == to.op) inside[from.op].emplace_back(from.node, to.node);
    order.before_[to].push_back(from);
  }
  for (const auto& [op, more] : inside) {
    const auto& launch = tape.ops[static_cast<size_t>(op)];
    const GraphVersion& graph = tape.graphs[static_cast<size_t>(launch.graph)];
    order.nodes_[op] = order_of(graph, more);
    if (order.nodes_[op].size() < graph.nodes.size())
      return refused(tape, {op, more.front().second, Part::whole});
  }
  return order;
}

const std::vector<Item>& MoreOrder::before(const Item& item) const {
  static const std::vector<Item> none;
  const auto found = before_.find(item);
  return found == before_.end() ? none : found->second;
}

const std::vector<int32_t>* MoreOrder::nodes_of(int32_t op) const {
  const auto found = nodes_.find(op);
  return found == nodes_.end() ? nullptr : &found->second;
}

}  // namespace bohr::gpu::sim

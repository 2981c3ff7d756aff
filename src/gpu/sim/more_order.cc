// SPDX-License-Identifier: Apache-2.0
// Nodes are put in order by taking, again and again, the first listed one of those that wait for
// none that is left.
#include "gpu/sim/more_order.h"

#include <functional>
#include <queue>
#include <string>

namespace bohr::gpu::sim {

namespace {

Error refused(const Tape& tape, const Item& item) {
  return {"sim-order", name_of(work_of(tape, item)), "",
          "it would wait for work that comes after it", "give it order that it can have"};
}

// Fewer than all of the nodes when they wait in a circle.
std::vector<int32_t> order_of(const GraphVersion& graph,
                              const std::vector<std::pair<int32_t, int32_t>>& more) {
  std::vector<std::vector<int32_t>> next(graph.nodes.size());
  std::vector<int32_t> missing(graph.nodes.size(), 0);
  const auto add = [&](int32_t from, int32_t to) {
    next[static_cast<size_t>(from)].push_back(to);
    ++missing[static_cast<size_t>(to)];
  };
  for (const GraphEdge& edge : graph.edges) add(edge.from, edge.to);
  for (const auto& [from, to] : more) add(from, to);
  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
  for (size_t i = 0; i < missing.size(); ++i)
    if (missing[i] == 0) ready.push(static_cast<int32_t>(i));
  std::vector<int32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const int32_t to : next[static_cast<size_t>(order.back())])
      if (--missing[static_cast<size_t>(to)] == 0) ready.push(to);
  }
  return order;
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

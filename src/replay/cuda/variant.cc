// SPDX-License-Identifier: Apache-2.0
// Nodes are added in an order of their edges, first listed first.
#include "replay/cuda/variant.h"

#include <algorithm>

#include "base/forward_order.h"

namespace bohr::replay::cuda {

namespace {

// Flags that say how nodes run; others say how the program launches, which we do otherwise.
constexpr unsigned long long kFlags =
    CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY | CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;

Error refused(const std::string& why) {
  return {"no-own-run", "the graph", "", why, "run the repaired program itself"};
}

Status add_more(const StepNodes& steps, const Variant& variant, std::vector<WorkEdge>* edges) {
  for (const auto& [first, second] : variant.more) {
    const int32_t from = steps.nodes[static_cast<size_t>(first)];
    const int32_t to = steps.nodes[static_cast<size_t>(second)];
    if (from == to) continue;  // two parts of one kernel
    for (const int32_t node : {from, to})
      if (steps.work.nodes[static_cast<size_t>(node)].type == CU_GRAPH_NODE_TYPE_GRAPH)
        return refused("an edge would lead to or from a child graph as a whole");
    // A full edge in place of a programmatic one.
    std::erase_if(*edges, [&](const WorkEdge& edge) { return edge.from == from && edge.to == to; });
    edges->push_back(full_edge(from, to));
  }
  return Nothing{};
}

// Nodes so that every edge points forward; fewer than all where edges make a circle.
std::vector<int32_t> forward(size_t count, std::span<const WorkEdge> edges) {
  std::vector<std::pair<int32_t, int32_t>> pairs;
  for (const WorkEdge& edge : edges) pairs.emplace_back(edge.from, edge.to);
  return forward_order(count, pairs);
}

// The nodes of a serial order, each behind the one before.
std::vector<int32_t> chain_of(const StepNodes& steps, const Variant& variant,
                              std::vector<WorkEdge>* edges) {
  std::vector<int32_t> order;
  for (const int32_t step : variant.serial) {
    const int32_t node = steps.nodes[static_cast<size_t>(step)];
    if (!steps.plan[static_cast<size_t>(step)].runs) continue;
    // What closes a child graph has the number of what opened it.
    if (steps.work.nodes[static_cast<size_t>(node)].type == CU_GRAPH_NODE_TYPE_GRAPH) continue;
    order.push_back(node);
    if (order.size() > 1) edges->push_back(full_edge(order[order.size() - 2], order.back()));
  }
  return order;
}

}  // namespace

Result<std::unique_ptr<OwnGraph>> variant_graph(Device* device, const StepNodes& steps,
                                                const Variant& variant, unsigned long long flags) {
  if (!steps.work.edges_read) return refused("its edges could not be read");
  std::vector<WorkEdge> edges;
  std::vector<int32_t> order;
  if (variant.serial.empty()) {
    edges = steps.work.edges;
    BOHR_TRY_STATUS(add_more(steps, variant, &edges));
    order = forward(steps.work.nodes.size(), edges);
    if (order.size() < steps.work.nodes.size()) return refused("its edges would make a circle");
  } else {
    order = chain_of(steps, variant, &edges);
  }
  BOHR_TRY(graph, OwnGraph::create(device));
  std::vector<int32_t> place(steps.work.nodes.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) {
    BOHR_TRY_STATUS(graph->add(steps.work.nodes[static_cast<size_t>(order[i])]));
    place[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
  }
  std::vector<WorkEdge> placed;
  for (WorkEdge edge : edges) {
    edge.from = place[static_cast<size_t>(edge.from)],
    edge.to = place[static_cast<size_t>(edge.to)];
    placed.push_back(edge);
  }
  BOHR_TRY_STATUS(graph->add_edges(placed));
  BOHR_TRY_STATUS(graph->instantiate(flags & kFlags));
  return std::move(graph);
}

}  // namespace bohr::replay::cuda

// SPDX-License-Identifier: Apache-2.0
// Kahn's algorithm with a heap, so that among ready nodes the one issued first goes first: a graph
// whose edges all point forward in issue order keeps that order.
#include "order/topology.h"

#include <functional>
#include <queue>

namespace bohr::order {

namespace {

Error graph_error(const Graph& graph, std::string code, std::string why) {
  return {std::move(code), "graph " + graph.name, "", std::move(why),
          "the trace is damaged or was not made by this tool"};
}

Status edges_inside(const Graph& graph) {
  const auto nodes = static_cast<int32_t>(graph.nodes.size());
  for (const Edge& edge : graph.edges) {
    const bool inside = edge.from.valid() && edge.from.value() < nodes && edge.to.valid() &&
                        edge.to.value() < nodes;
    if (!inside) return graph_error(graph, "graph-edge", "an edge names a node that is not there");
  }
  return Nothing{};
}

// Counting sort of the edges by `key`.
template <class Key>
std::vector<uint32_t> begins(const Graph& graph, Key key) {
  std::vector<uint32_t> begin(graph.nodes.size() + 1, 0);
  for (const Edge& edge : graph.edges) ++begin[key(edge) + 1];
  for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  return begin;
}

}  // namespace

Result<Topology> topology(const Graph& graph) {
  BOHR_TRY_STATUS(edges_inside(graph));
  Topology result;
  result.in_begin = begins(graph, [](const Edge& e) { return e.to.index(); });
  result.in_edges.resize(graph.edges.size());
  std::vector<uint32_t> out_begin = begins(graph, [](const Edge& e) { return e.from.index(); });
  std::vector<int32_t> out(graph.edges.size());
  std::vector<uint32_t> in_fill = result.in_begin;
  std::vector<uint32_t> out_fill = out_begin;
  for (const Edge& edge : graph.edges) {
    result.in_edges[in_fill[edge.to.index()]++] = {edge.from.value(), edge.kind};
    out[out_fill[edge.from.index()]++] = edge.to.value();
  }

  std::vector<uint32_t> missing(graph.nodes.size());
  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
  for (size_t i = 0; i < missing.size(); ++i) {
    missing[i] = result.in_begin[i + 1] - result.in_begin[i];
    if (missing[i] == 0) ready.push(static_cast<int32_t>(i));
  }
  result.order.reserve(graph.nodes.size());
  while (!ready.empty()) {
    const int32_t node = ready.top();
    ready.pop();
    result.order.push_back(node);
    const size_t i = static_cast<size_t>(node);
    for (uint32_t e = out_begin[i]; e < out_begin[i + 1]; ++e)
      if (--missing[static_cast<size_t>(out[e])] == 0) ready.push(out[e]);
  }
  if (result.order.size() != graph.nodes.size())
    return graph_error(graph, "graph-cycle", "its edges form a cycle");
  return result;
}

}  // namespace bohr::order

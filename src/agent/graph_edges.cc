// SPDX-License-Identifier: Apache-2.0
#include "agent/graph_edges.h"

#include <cstring>

namespace bohr::agent {
namespace {

CUgraphEdgeData data_of(const trace::Edges& edges, size_t index) {
  CUgraphEdgeData data;
  std::memset(&data, 0, sizeof data);
  const uint64_t type = edges.types[index];
  data.type = static_cast<unsigned char>(type & 0xff);
  data.from_port = static_cast<unsigned char>(type >> 8 & 0xff);
  data.to_port = static_cast<unsigned char>(type >> 16 & 0xff);
  return data;
}

size_t index_of(const trace::Edges& edges, const patch::NewEdge& edge) {
  for (size_t i = 0; i < edges.from.size(); ++i)
    if (edges.from[i] == edge.from && edges.to[i] == edge.to) return i;
  return edges.from.size();
}

// A programmatic edge between the two is made full: there can be one edge only.
bool add_edge(const Driver& driver, CUgraph graph, const std::vector<CUgraphNode>& handles,
              const patch::NewEdge& edge, trace::Edges* edges) {
  const CUgraphNode from = handles[edge.from], to = handles[edge.to];
  const size_t known = index_of(*edges, edge);
  const bool replaces = known < edges->from.size();
  const CUgraphEdgeData was = replaces ? data_of(*edges, known) : CUgraphEdgeData{};
  if (!driver.cuGraphAddDependencies_v2 || !driver.cuGraphRemoveDependencies_v2) return false;
  if (replaces && driver.cuGraphRemoveDependencies_v2(graph, &from, &to, &was, 1) != CUDA_SUCCESS)
    return false;
  if (driver.cuGraphAddDependencies_v2(graph, &from, &to, nullptr, 1) != CUDA_SUCCESS) {
    if (replaces) driver.cuGraphAddDependencies_v2(graph, &from, &to, &was, 1);
    return false;
  }
  if (replaces) {
    edges->types[known] = 0;
  } else {
    edges->from.push_back(edge.from), edges->to.push_back(edge.to), edges->types.push_back(0);
  }
  return true;
}

// Takes away what was added of edges that do not all go in.
void take_back(const Driver& driver, CUgraph graph, const std::vector<CUgraphNode>& handles,
               const trace::Edges& before, trace::Edges* edges) {
  for (size_t i = 0; i < edges->from.size(); ++i) {
    const bool added = i >= before.from.size();
    if (!added && edges->types[i] == before.types[i]) continue;
    const CUgraphNode from = handles[edges->from[i]], to = handles[edges->to[i]];
    driver.cuGraphRemoveDependencies_v2(graph, &from, &to, nullptr, 1);
    if (added) continue;
    const CUgraphEdgeData was = data_of(before, i);
    driver.cuGraphAddDependencies_v2(graph, &from, &to, &was, 1);
  }
  *edges = before;
}

}  // namespace

bool add_edges(const Driver& driver, CUgraph graph, const std::vector<CUgraphNode>& handles,
               const std::vector<patch::NewEdge>& wanted, trace::Edges* edges) {
  const trace::Edges before = *edges;
  for (const patch::NewEdge& edge : wanted) {
    if (add_edge(driver, graph, handles, edge, edges)) continue;
    take_back(driver, graph, handles, before, edges);
    return false;
  }
  return true;
}

}  // namespace bohr::agent

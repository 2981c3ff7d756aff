// SPDX-License-Identifier: Apache-2.0
// The edges of a graph by node, and an order in which every edge points forward.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/program.h"

namespace bohr::order {

struct InEdge {
  int32_t from = 0;
  EdgeKind kind = EdgeKind::full;
};

struct Topology {
  std::vector<int32_t> order;      // nodes so that every edge points forward, issue order first
  std::vector<uint32_t> in_begin;  // of node i: in_edges[in_begin[i] .. in_begin[i + 1])
  std::vector<InEdge> in_edges;
};

// Refuses an edge to a node that is not there and a cycle (codes `graph-edge`, `graph-cycle`).
Result<Topology> topology(const Graph& graph);

}  // namespace bohr::order

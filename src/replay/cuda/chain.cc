// SPDX-License-Identifier: Apache-2.0
#include "replay/cuda/chain.h"

#include <vector>

#include "replay/cuda/own_graph.h"

namespace bohr::replay::cuda {

Status run_chained(Device* device, std::span<const NodeWork* const> works) {
  BOHR_TRY(graph, OwnGraph::create(device));
  std::vector<WorkEdge> edges;
  for (size_t i = 0; i < works.size(); ++i) {
    BOHR_TRY_STATUS(graph->add(*works[i]));
    if (i > 0) edges.push_back(full_edge(static_cast<int32_t>(i) - 1, static_cast<int32_t>(i)));
  }
  BOHR_TRY_STATUS(graph->add_edges(edges));
  BOHR_TRY_STATUS(graph->instantiate(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
  BOHR_TRY_STATUS(graph->launch());
  return device->wait();
}

}  // namespace bohr::replay::cuda

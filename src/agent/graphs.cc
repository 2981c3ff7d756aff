// SPDX-License-Identifier: Apache-2.0
#include "agent/graphs.h"

#include "agent/recorder.h"

namespace bohr::agent {

CaptureState capture_state(Recorder& r, CUstream stream) {
  CaptureState state;
  if (r.captures_active.load(std::memory_order_relaxed) == 0) return state;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  const CUgraphNode* frontier = nullptr;
  const CUgraphEdgeData* data = nullptr;
  size_t count = 0;
  if (r.driver.cuStreamGetCaptureInfo_v3(stream, &status, &id, &state.graph, &frontier, &data,
                                         &count) != CUDA_SUCCESS ||
      status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    return {};
  }
  if (count == 1) state.newest = frontier[0];
  std::lock_guard lock(r.mutex);
  uint32_t& number = r.graphs.captures[id];
  if (!number) number = ++r.graphs.last_capture;
  state.capture = number;
  return state;
}

void node_created(Recorder& r, CUgraph graph, CUgraphNode node, const NodeOrigin& origin) {
  std::lock_guard lock(r.mutex);
  r.graphs.templates[graph].origins[node] = origin;
}

void graph_cloned(Recorder& r, CUgraph original, CUgraph clone) {
  std::unordered_map<CUgraphNode, NodeOrigin> origins;
  {
    std::lock_guard lock(r.mutex);
    auto found = r.graphs.templates.find(original);
    if (found == r.graphs.templates.end()) return;
    origins = found->second.origins;
  }
  for (const auto& [node, origin] : origins) {
    CUgraphNode copy = nullptr;
    if (r.driver.cuGraphNodeFindInClone(&copy, node, clone) == CUDA_SUCCESS) {
      node_created(r, clone, copy, origin);
    }
  }
}

void graph_destroyed(Recorder& r, CUgraph graph) {
  std::lock_guard lock(r.mutex);
  r.graphs.templates.erase(graph);
  forget_conditionals(r, graph);
  // Its handles may come back as nodes of another graph.
  for (auto& [exec, state] : r.graphs.execs)
    if (state.nodes.graph == graph) state.nodes.graph = nullptr, state.nodes.handles = nullptr;
}

}  // namespace bohr::agent

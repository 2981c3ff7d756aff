// SPDX-License-Identifier: Apache-2.0
#include "agent/conditionals.h"

#include "agent/recorder.h"

namespace bohr::agent {
namespace {

trace::Condition condition_of(CUgraphConditionalNodeType type) {
  switch (type) {
    case CU_GRAPH_COND_TYPE_IF:
      return trace::Condition::once;
    case CU_GRAPH_COND_TYPE_WHILE:
      return trace::Condition::loop;
    default:
      return trace::Condition::choice;
  }
}

}  // namespace

void node_added(Recorder& r, CUgraph graph, CUgraphNode node, const CUgraphNodeParams& params) {
  if (params.type != CU_GRAPH_NODE_TYPE_CONDITIONAL || !params.conditional.phGraph_out) return;
  ConditionalNode made;
  made.condition = condition_of(params.conditional.type);
  made.graph = graph;
  made.bodies.assign(params.conditional.phGraph_out,
                     params.conditional.phGraph_out + params.conditional.size);
  std::lock_guard lock(r.mutex);
  r.graphs.conditionals.bodies.insert(made.bodies.begin(), made.bodies.end());
  r.graphs.conditionals.nodes[node] = std::move(made);
}

ConditionalNode conditional_node(Recorder& r, CUgraphNode node) {
  std::lock_guard lock(r.mutex);
  const auto found = r.graphs.conditionals.nodes.find(node);
  return found == r.graphs.conditionals.nodes.end() ? ConditionalNode() : found->second;
}

bool is_body(Recorder& r, CUgraph graph) {
  std::lock_guard lock(r.mutex);
  return r.graphs.conditionals.bodies.contains(graph);
}

void forget_conditionals(Recorder& r, CUgraph graph) {
  Conditionals& all = r.graphs.conditionals;
  std::vector<CUgraph> gone = {graph};
  while (!gone.empty() && !all.nodes.empty()) {
    const CUgraph next = gone.back();
    gone.pop_back();
    for (auto it = all.nodes.begin(); it != all.nodes.end();) {
      if (it->second.graph != next) {
        ++it;
        continue;
      }
      for (const CUgraph body : it->second.bodies) {
        all.bodies.erase(body);
        r.graphs.templates.erase(body);
        gone.push_back(body);
      }
      it = all.nodes.erase(it);
    }
  }
}

}  // namespace bohr::agent

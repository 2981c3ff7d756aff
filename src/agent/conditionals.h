// SPDX-License-Identifier: Apache-2.0
// Conditional nodes: which graphs their bodies are. Drivers before 13.2 tell it to whoever makes
// the node and to nobody else, so it is kept from that call on.
#pragma once

#include <cuda.h>

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "trace/writer/records.h"

namespace bohr::agent {

struct Recorder;

struct ConditionalNode {
  trace::Condition condition = trace::Condition::once;
  CUgraph graph = nullptr;  // that holds the node
  std::vector<CUgraph> bodies;
};

struct Conditionals {
  std::unordered_map<CUgraphNode, ConditionalNode> nodes;
  std::unordered_set<CUgraph> bodies;
};

// A call made a node of any kind, and `params` is as that call left it.
void node_added(Recorder& r, CUgraph graph, CUgraphNode node, const CUgraphNodeParams& params);
// Without bodies: the node was not seen being made.
ConditionalNode conditional_node(Recorder& r, CUgraphNode node);
bool is_body(Recorder& r, CUgraph graph);
// With the lock held: the graph is gone, and with it all that its conditional nodes held.
void forget_conditionals(Recorder& r, CUgraph graph);

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes in the order of their creation, edges, and child graphs put in place of their node.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "trace/import_state.h"

namespace bohr::trace {

// Node::type, as CUgraphNodeType.
constexpr uint32_t kNodeKernel = 0;
constexpr uint32_t kNodeCopy = 1;
constexpr uint32_t kNodeSet = 2;
constexpr uint32_t kNodeHost = 3;
constexpr uint32_t kNodeChild = 4;
constexpr uint32_t kNodeEmpty = 5;
constexpr uint32_t kNodeEventWait = 6;
constexpr uint32_t kNodeEventRecord = 7;
constexpr uint32_t kNodeSemaphoreSignal = 8;
constexpr uint32_t kNodeSemaphoreWait = 9;
constexpr uint32_t kNodeMemAlloc = 10;
constexpr uint32_t kNodeMemFree = 11;
constexpr uint32_t kNodeBatchMemOp = 12;
constexpr uint32_t kNodeConditional = 13;

// Where a node of the program's graph comes from, and when what it names was looked up.
struct PlannedNode {
  const Node* record = nullptr;  // null: closes a child graph that was put in place
  uint64_t seq = 0;
  NodeId last;       // of what the record stands for: this node, or the one that closes its child
  bool top = false;  // of the graph itself, not of a child
  int32_t number = -1;  // Graph::recorded_nodes
};

struct GraphPlan {
  GraphId id;
  std::vector<PlannedNode> nodes;  // by NodeId
};

struct GraphPlans {
  std::vector<GraphPlan> plans;           // by GraphId
  std::map<uint32_t, GraphId> by_number;  // of the recorder
  std::set<uint32_t> captured_bodies;     // of conditional nodes, by the same number
};

// Makes the graphs of the program: all but their accesses, marks and capture points. Graphs that
// were put in place of a child node stand alone only if an exec runs them; a captured graph that
// was read again before it ran is the later one.
GraphPlans plan_graphs(ImportState& state);

// A graph that stands for one that was not read.
GraphId unread_graph(ImportState& state, GraphPlans& plans, uint32_t number);

}  // namespace bohr::trace

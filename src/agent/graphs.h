// SPDX-License-Identifier: Apache-2.0
// Graphs, execs and captures by number, and which call made which node.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "agent/conditionals.h"
#include "agent/exec_nodes.h"
#include "agent/holding.h"
#include "agent/pinned.h"

namespace bohr::agent {

struct Recorder;

// The call that made a node.
struct NodeOrigin {
  uint64_t seq = 0;
  uint32_t thread = 0;
  uint32_t stack = 0;
  uint32_t stream = 0;
};

// What a launch does beside the work that its nodes are.
struct LaunchEffects {
  std::vector<CUevent> records;
  PinnedUse pinned;
};

struct TemplateState {
  uint32_t number = 0;   // of the newest Graph record; 0: not read yet
  uint64_t edits = 0;    // Graphs::edits when it was read
  bool matched = false;  // with the fix file
  std::unordered_map<CUgraphNode, NodeOrigin> origins;
  std::shared_ptr<const LaunchEffects> effects;         // null: none
  std::shared_ptr<const replay::cuda::GraphWork> work;  // null: launches are not held
  std::shared_ptr<const NodeHandles> handles;           // null: they were not read
};

// Of what an exec runs so many launches stay in the log; where work outside graphs has room of its
// own, further ones lie there.
constexpr uint32_t kLaunchesKept = 16;

struct ExecState {
  uint32_t number = 0;
  std::shared_ptr<const LaunchEffects> effects;  // null: none
  ExecNodes nodes;
  ExecHold hold;
  uint32_t launches = 0;  // of what it runs now, up to those that are kept
};

struct Graphs {
  std::unordered_map<CUgraph, TemplateState> templates;
  std::unordered_map<CUgraphExec, ExecState> execs;
  std::unordered_map<cuuint64_t, uint32_t> captures;  // by the driver's id
  std::unordered_map<CUstream, uint32_t> open;        // by the stream on which they began
  Conditionals conditionals;
  uint64_t edits = 0;  // calls that changed some template after capture
  uint32_t last_graph = 0;
  uint32_t last_exec = 0;
  uint32_t last_capture = 0;
};

struct CaptureState {
  uint32_t capture = 0;  // 0: the stream does not capture
  CUgraph graph = nullptr;
  CUgraphNode newest = nullptr;  // the frontier where it is one node
};

// Of an explicit stream; costs nothing while nothing captures.
CaptureState capture_state(Recorder& r, CUstream stream);

void node_created(Recorder& r, CUgraph graph, CUgraphNode node, const NodeOrigin& origin);
// Nodes of a clone were made by the calls that made the original's.
void graph_cloned(Recorder& r, CUgraph original, CUgraph clone);
void graph_destroyed(Recorder& r, CUgraph graph);

// The edges by index of their nodes. False when the driver did not give them all.
bool read_edges(Recorder& r, CUgraph graph, const std::vector<CUgraphNode>& nodes,
                trace::Edges* out);

// The number of a graph as it is now, reading it unless it was read since its last change.
uint32_t read_graph(Recorder& r, CUgraph graph, uint32_t capture);

}  // namespace bohr::agent

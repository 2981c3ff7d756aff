// SPDX-License-Identifier: Apache-2.0
// Nodes of an instantiated graph that the program changed: parameters that were set in it, nodes
// that were disabled. The driver does not tell what an exec holds, so the calls that change it are
// followed. What an exec runs is logged when it is launched, as a version of its graph: many nodes
// may be set before that.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "replay/cuda/node.h"
#include "trace/writer/records.h"

namespace bohr::agent {

struct DriverCall;
struct Recorder;

// Nodes of a template by their index. They name those of its execs.
using NodeHandles = std::unordered_map<CUgraphNode, uint32_t>;

struct NodeChange {
  bool disabled = false;
  std::optional<trace::Node> record;           // what was set in it, if anything
  std::optional<replay::cuda::NodeWork> work;  // the same, where launches may be held
  uint64_t frees = 0;                          // Recorder::frees when it was set
};

// What an exec runs, as the log has it: the nodes that are not its base's, by index.
struct ExecVersion {
  std::map<uint32_t, NodeChange> nodes;
  uint32_t number = 0;
};

struct ExecNodes {
  CUgraph graph = nullptr;                     // the template, while it lives
  std::shared_ptr<const NodeHandles> handles;  // its nodes; null: they cannot be named any more
  uint32_t base = 0;                           // the record of the nodes that were not changed
  std::map<uint32_t, NodeChange> changes;      // by index
  std::vector<ExecVersion> versions;           // that were logged
  bool told = true;                            // the log knows all changes
  trace::Call call;                            // the last of them
  trace::Text api;
};

// Every call that changes or destroys an exec takes it as its first argument.
CUgraphExec exec_of(const DriverCall& call);

// A call that changed one node succeeded. False: it cannot be followed.
bool node_set(Recorder& r, DriverCall& call, CUgraphNode node,
              const CUDA_KERNEL_NODE_PARAMS& params);
bool node_set(Recorder& r, DriverCall& call, CUgraphNode node, const CUDA_MEMCPY3D& copy);
bool node_set(Recorder& r, DriverCall& call, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS& set);
bool node_set(Recorder& r, DriverCall& call, CUgraphNode node, const CUDA_HOST_NODE_PARAMS& host);
bool node_enabled(Recorder& r, DriverCall& call, CUgraphNode node, bool enabled);

// Whether an update has these nodes disabled is not documented.
bool some_disabled(const ExecNodes& nodes);
// The exec was updated from a graph, whose nodes name its own only where it is the template.
void updated_from(CUgraph graph, std::shared_ptr<const NodeHandles> handles, uint32_t number,
                  ExecNodes* nodes);

// At the entry of a launch outside captures: logs what the exec has become since its last one.
void log_changes(Recorder& r, CUgraphExec exec);

// What the nodes do now. `before`: what they did before they were changed; may be null.
std::shared_ptr<const replay::cuda::GraphWork> work_with(
    const ExecNodes& nodes, std::shared_ptr<const replay::cuda::GraphWork> before);

}  // namespace bohr::agent

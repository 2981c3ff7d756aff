// SPDX-License-Identifier: Apache-2.0
// Graph nodes as descriptors: what a node does, kept after the graph that it was read from is
// gone, and how to issue it alone on a stream.
//
// A descriptor holds a copy of everything but code: function handles live as long as their module,
// host functions as long as the program keeps them. No user object is held, so nothing of the
// program's is kept alive.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/range.h"
#include "base/result.h"
#include "replay/cuda/driver.h"

namespace bohr::replay::cuda {

// Parameters as one image; `offsets` are those of each parameter in it. A node that was given a
// buffer instead of single parameters has none and is launched from a buffer again.
struct KernelWork {
  CUfunction function = nullptr;  // or a CUkernel, which launches take as well
  uint32_t grid[3] = {};
  uint32_t block[3] = {};
  uint32_t shared_bytes = 0;
  bool buffer = false;
  std::vector<uint8_t> image;
  std::vector<uint64_t> offsets;
  std::vector<CUlaunchAttribute> attributes;
};

struct NodeWork {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  KernelWork kernel;
  CUDA_MEMCPY3D copy = {};
  CUDA_MEMSET_NODE_PARAMS set = {};
  CUDA_HOST_NODE_PARAMS host = {};
  std::string refusal;  // a named reason of docs/limits.md why it cannot be run; empty: it can
};

// The bytes between the first and the last that a copy or set writes; empty for other nodes, and
// for copies into arrays.
ByteRange destination_of(const NodeWork& work);

struct WorkEdge {
  int32_t from = 0;
  int32_t to = 0;
  CUgraphEdgeData data = {};  // zeros: a full edge
};
inline WorkEdge full_edge(int32_t from, int32_t to) { return {from, to, {}}; }

// All nodes of a graph in the driver's order, and behind them those of its child graphs, one child
// after the other and each in the same way. A child's node itself does nothing: its graph's first
// nodes come after it, and what comes after it comes after its graph's last nodes.
struct GraphWork {
  std::vector<NodeWork> nodes;
  std::vector<WorkEdge> edges;
  bool edges_read = false;  // all of them
};

// A kernel's parameters in the form in which launches and nodes take them. Valid as long as the
// work; the driver reads them and changes nothing.
class LaunchArguments {
 public:
  explicit LaunchArguments(const KernelWork& work);
  LaunchArguments(const LaunchArguments&) = delete;
  LaunchArguments& operator=(const LaunchArguments&) = delete;
  void** parameters() { return buffer_ ? nullptr : parameters_.data(); }
  void** extra() { return buffer_ ? extra_ : nullptr; }

 private:
  bool buffer_;
  size_t size_;
  void* extra_[5];
  std::vector<void*> parameters_;
};

// Never fails: what cannot be read or run carries its refusal. Code must be loaded, so this is for
// the end of a capture, or later.
NodeWork read_node(const Driver& driver, CUgraphNode node);
// All but the attributes, which only the node knows. False: the parameters cannot be read.
bool set_parameters(const Driver& driver, const CUDA_KERNEL_NODE_PARAMS& params,
                    KernelWork* kernel);
GraphWork read_graph(const Driver& driver, CUgraph graph);

// Asynchronous, like the call behind it.
CUresult issue(const Driver& driver, const NodeWork& work, CUstream stream);

}  // namespace bohr::replay::cuda

// SPDX-License-Identifier: Apache-2.0
// A CUDA graph of our own, built from descriptors: any nodes in any order. No user object goes into
// it, so nothing of the program's is kept alive.
#pragma once

#include <cuda.h>

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "replay/cuda/device.h"
#include "replay/cuda/node.h"

namespace bohr::replay::cuda {

// Errors are those of Device::check().
class OwnGraph {
 public:
  static Result<std::unique_ptr<OwnGraph>> create(Device* device);
  ~OwnGraph();
  OwnGraph(const OwnGraph&) = delete;
  OwnGraph& operator=(const OwnGraph&) = delete;

  // Nodes count from 0 as they are added, and have no order but what edges give.
  Status add(const NodeWork& work);
  Status add_edges(std::span<const WorkEdge> edges);
  Status instantiate(unsigned long long flags);
  // On the device's stream; waits for nothing.
  Status launch();

 private:
  OwnGraph(Device* device, CUcontext context) : device_(*device), context_(context) {}
  CUresult create_node(const NodeWork& work, CUgraphNode* node);
  CUresult create_kernel(const KernelWork& work, CUgraphNode* node);

  Device& device_;
  CUcontext context_;
  CUgraph graph_ = nullptr;
  CUgraphExec exec_ = nullptr;
  std::vector<CUgraphNode> nodes_;
};

}  // namespace bohr::replay::cuda

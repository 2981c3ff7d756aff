// SPDX-License-Identifier: Apache-2.0
#include "replay/cuda/chain.h"

#include <cstring>
#include <string>

namespace bohr::replay::cuda {

namespace {

// A graph and its instance, for as long as they are needed.
class Chain {
 public:
  Chain(Device* device, CUcontext context) : device_(*device), context_(context) {}
  // What hangs would be waited for.
  ~Chain() {
    if (device_.lost()) return;
    if (exec_) device_.driver().cuGraphExecDestroy(exec_);
    if (graph_) device_.driver().cuGraphDestroy(graph_);
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  Status begin() {
    return device_.check(device_.driver().cuGraphCreate(&graph_, 0), "making a graph");
  }

  Status add(const NodeWork& work) {
    CUgraphNode node = nullptr;
    const CUgraphNode* before = last_ ? &last_ : nullptr;
    const size_t many = last_ ? 1 : 0;
    BOHR_TRY_STATUS(device_.check(create(work, before, many, &node), "adding a node"));
    if (work.type == CU_GRAPH_NODE_TYPE_KERNEL) {
      for (const CUlaunchAttribute& attribute : work.kernel.attributes)
        BOHR_TRY_STATUS(device_.check(
            device_.driver().cuGraphKernelNodeSetAttribute(node, attribute.id, &attribute.value),
            "setting an attribute of a node"));
    }
    last_ = node;
    return Nothing{};
  }

  Status run() {
    BOHR_TRY_STATUS(
        device_.check(device_.driver().cuGraphInstantiateWithFlags(
                          &exec_, graph_, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY),
                      "instantiating a graph of ours"));
    BOHR_TRY_STATUS(device_.check(device_.driver().cuGraphLaunch(exec_, device_.stream()),
                                  "launching a graph of ours"));
    return device_.wait();
  }

 private:
  CUresult create(const NodeWork& work, const CUgraphNode* before, size_t many, CUgraphNode* node) {
    const Driver& driver = device_.driver();
    switch (work.type) {
      case CU_GRAPH_NODE_TYPE_KERNEL:
        return create_kernel(work.kernel, before, many, node);
      case CU_GRAPH_NODE_TYPE_MEMCPY:
        return driver.cuGraphAddMemcpyNode(node, graph_, before, many, &work.copy, context_);
      case CU_GRAPH_NODE_TYPE_MEMSET:
        return driver.cuGraphAddMemsetNode(node, graph_, before, many, &work.set, context_);
      case CU_GRAPH_NODE_TYPE_HOST:
        return driver.cuGraphAddHostNode(node, graph_, before, many, &work.host);
      default:
        return driver.cuGraphAddEmptyNode(node, graph_, before, many);
    }
  }

  CUresult create_kernel(const KernelWork& work, const CUgraphNode* before, size_t many,
                         CUgraphNode* node) {
    CUDA_KERNEL_NODE_PARAMS params;
    std::memset(&params, 0, sizeof params);
    params.func = work.function;
    params.gridDimX = work.grid[0], params.gridDimY = work.grid[1], params.gridDimZ = work.grid[2];
    params.blockDimX = work.block[0], params.blockDimY = work.block[1];
    params.blockDimZ = work.block[2];
    params.sharedMemBytes = work.shared_bytes;
    LaunchArguments arguments(work);
    params.kernelParams = arguments.parameters();
    params.extra = arguments.extra();
    return device_.driver().cuGraphAddKernelNode_v2(node, graph_, before, many, &params);
  }

  Device& device_;
  CUcontext context_;
  CUgraph graph_ = nullptr;
  CUgraphExec exec_ = nullptr;
  CUgraphNode last_ = nullptr;
};

}  // namespace

Status run_chained(Device* device, CUcontext context, std::span<const NodeWork* const> works) {
  Chain chain(device, context);
  BOHR_TRY_STATUS(chain.begin());
  for (const NodeWork* work : works) BOHR_TRY_STATUS(chain.add(*work));
  return chain.run();
}

}  // namespace bohr::replay::cuda

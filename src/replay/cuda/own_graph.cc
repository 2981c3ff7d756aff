// SPDX-License-Identifier: Apache-2.0
#include "replay/cuda/own_graph.h"

#include <cstring>

namespace bohr::replay::cuda {

Result<std::unique_ptr<OwnGraph>> OwnGraph::create(Device* device) {
  const Driver& driver = device->driver();
  CUcontext context = nullptr;
  BOHR_TRY_STATUS(device->check(driver.cuCtxGetCurrent(&context), "asking for the context"));
  auto graph = std::unique_ptr<OwnGraph>(new OwnGraph(device, context));
  BOHR_TRY_STATUS(device->check(driver.cuGraphCreate(&graph->graph_, 0), "making a graph"));
  return graph;
}

// What hangs would be waited for.
OwnGraph::~OwnGraph() {
  if (device_.lost()) return;
  if (exec_) device_.driver().cuGraphExecDestroy(exec_);
  if (graph_) device_.driver().cuGraphDestroy(graph_);
}

Status OwnGraph::add(const NodeWork& work) {
  CUgraphNode node = nullptr;
  BOHR_TRY_STATUS(device_.check(create_node(work, &node), "adding a node"));
  if (work.type == CU_GRAPH_NODE_TYPE_KERNEL) {
    for (const CUlaunchAttribute& attribute : work.kernel.attributes)
      BOHR_TRY_STATUS(device_.check(
          device_.driver().cuGraphKernelNodeSetAttribute(node, attribute.id, &attribute.value),
          "setting an attribute of a node"));
  }
  nodes_.push_back(node);
  return Nothing{};
}

Status OwnGraph::add_edges(std::span<const WorkEdge> edges) {
  if (edges.empty()) return Nothing{};
  std::vector<CUgraphNode> from, to;
  std::vector<CUgraphEdgeData> data;
  for (const WorkEdge& edge : edges) {
    from.push_back(nodes_[static_cast<size_t>(edge.from)]);
    to.push_back(nodes_[static_cast<size_t>(edge.to)]);
    data.push_back(edge.data);
  }
  return device_.check(device_.driver().cuGraphAddDependencies_v2(graph_, from.data(), to.data(),
                                                                  data.data(), data.size()),
                       "adding edges");
}

Status OwnGraph::instantiate(unsigned long long flags) {
  return device_.check(device_.driver().cuGraphInstantiateWithFlags(&exec_, graph_, flags),
                       "instantiating a graph of ours");
}

Status OwnGraph::launch() {
  return device_.check(device_.driver().cuGraphLaunch(exec_, device_.stream()),
                       "launching a graph of ours");
}

CUresult OwnGraph::create_node(const NodeWork& work, CUgraphNode* node) {
  const Driver& driver = device_.driver();
  switch (work.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return create_kernel(work.kernel, node);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return driver.cuGraphAddMemcpyNode(node, graph_, nullptr, 0, &work.copy, context_);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return driver.cuGraphAddMemsetNode(node, graph_, nullptr, 0, &work.set, context_);
    case CU_GRAPH_NODE_TYPE_HOST:
      return driver.cuGraphAddHostNode(node, graph_, nullptr, 0, &work.host);
    default:
      return driver.cuGraphAddEmptyNode(node, graph_, nullptr, 0);
  }
}

CUresult OwnGraph::create_kernel(const KernelWork& work, CUgraphNode* node) {
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
  return device_.driver().cuGraphAddKernelNode_v2(node, graph_, nullptr, 0, &params);
}

}  // namespace bohr::replay::cuda

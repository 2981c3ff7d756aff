// SPDX-License-Identifier: Apache-2.0
// What the stand-in driver answers to an agent that replays a launch. Only the agent makes these
// calls, from within a callback, so none is announced.
#include <string>

#include "fake.h"

extern "C" {

CUresult cuGetErrorName(CUresult, const char** name) { return *name = "FAKE_ERROR", CUDA_SUCCESS; }
CUresult cuStreamDestroy_v2(CUstream) { return CUDA_SUCCESS; }

// The stand-in's graphs have no nodes of the first kind, and its host functions do nothing.
CUresult cuGraphMemsetNodeGetParams(CUgraphNode, CUDA_MEMSET_NODE_PARAMS*) {
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGraphHostNodeGetParams(CUgraphNode, CUDA_HOST_NODE_PARAMS* params) {
  return *params = {}, CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction function, void** params, void**) {
  if (function->run) function->run(params);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void*) {
  return *module = reinterpret_cast<CUmodule>(0x2000), CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  const FakeKernel run = fake_own_kernel(name);
  if (!run) return CUDA_ERROR_NOT_FOUND;
  return *function = new CUfunc_st{name, 0, run}, CUDA_SUCCESS;
}

// --- graphs of the agent's own: nodes run in the order in which they were added, each behind the
// one before ---

namespace {

CUresult add(CUgraph graph, const CUgraphNode* before, size_t count, CUgraphNode* node,
             std::unique_ptr<CUgraphNode_st> made) {
  for (size_t i = 0; i < count; ++i) graph->edges.push_back({before[i], made.get()});
  *node = made.get();
  graph->nodes.push_back(std::move(made));
  return CUDA_SUCCESS;
}
std::unique_ptr<CUgraphNode_st> node_of(CUgraphNodeType type) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->type = type;
  return node;
}

}  // namespace

CUresult cuGraphCreate(CUgraph* graph, unsigned) { return *graph = new CUgraph_st, CUDA_SUCCESS; }
CUresult cuGraphDestroy(CUgraph graph) { return delete graph, CUDA_SUCCESS; }
CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS* params) {
  auto made = fake_kernel_node(params->func, params->kernelParams);
  made->params.gridDimX = params->gridDimX;
  return add(graph, before, count, node, std::move(made));
}
CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                              size_t count, const CUDA_MEMCPY3D* copy, CUcontext) {
  auto made = node_of(CU_GRAPH_NODE_TYPE_MEMCPY);
  made->copy = *copy;
  return add(graph, before, count, node, std::move(made));
}
CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                            size_t count, const CUDA_HOST_NODE_PARAMS*) {
  return add(graph, before, count, node, node_of(CU_GRAPH_NODE_TYPE_HOST));
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                  size_t count, CUgraph child) {
  auto made = node_of(CU_GRAPH_NODE_TYPE_GRAPH);
  made->child = fake_copy_of(*child);
  return add(graph, before, count, node, std::move(made));
}
CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                             size_t count) {
  return add(graph, before, count, node, node_of(CU_GRAPH_NODE_TYPE_EMPTY));
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode, CUlaunchAttributeID,
                                       const CUlaunchAttributeValue*) {
  return CUDA_SUCCESS;
}

// No node of the stand-in's graphs needs these.
#define REFUSED(name, ...) \
  CUresult name(__VA_ARGS__) { return CUDA_ERROR_NOT_SUPPORTED; }
REFUSED(cuGraphAddMemsetNode, CUgraphNode*, CUgraph, const CUgraphNode*, size_t,
        const CUDA_MEMSET_NODE_PARAMS*, CUcontext)
REFUSED(cuMemsetD16Async, CUdeviceptr, unsigned short, size_t, CUstream)
REFUSED(cuMemsetD32Async, CUdeviceptr, unsigned, size_t, CUstream)
REFUSED(cuMemsetD2D8Async, CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream)
REFUSED(cuMemsetD2D16Async, CUdeviceptr, size_t, unsigned short, size_t, size_t, CUstream)
REFUSED(cuMemsetD2D32Async, CUdeviceptr, size_t, unsigned, size_t, size_t, CUstream)
}

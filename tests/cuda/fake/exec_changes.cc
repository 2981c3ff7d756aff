// SPDX-License-Identifier: Apache-2.0
// What the stand-in driver does where a program changes a graph that it has instantiated.
#include <utility>

#include "fake.h"

namespace {

CUresult become(CUgraphExec exec, CUgraphNode node, std::unique_ptr<CUgraphNode_st> made) {
  CUgraphNode_st& own = fake_node_of(exec, node);
  made->enabled = own.enabled;
  own = std::move(*made);  // pointers into a moved vector stay good
  own.params.kernelParams = own.pointers.data();
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS* params) {
  const auto body = [&] {
    become(exec, node, fake_kernel_node(params->func, params->kernelParams));
  };
  return CALL(cuGraphExecKernelNodeSetParams_v2, body, exec, node, params);
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D* copy, CUcontext context) {
  const auto body = [&] { fake_node_of(exec, node).copy = *copy; };
  return CALL(cuGraphExecMemcpyNodeSetParams, body, exec, node, copy, context);
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
  const auto body = [&] { fake_node_of(exec, node).child = fake_copy_of(*child); };
  return CALL(cuGraphExecChildGraphNodeSetParams, body, exec, node, child);
}
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  const auto body = [&] { fake_node_of(exec, node).enabled = enabled != 0; };
  return CALL(cuGraphNodeSetEnabled, body, exec, node, enabled);
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* enabled) {
  return *enabled = fake_node_of(exec, node).enabled, CUDA_SUCCESS;
}
}

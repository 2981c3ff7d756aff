// SPDX-License-Identifier: Apache-2.0
// What the files of the stand-in libraries share.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

// A kernel is a host function over its parameters as a launch gives them; with none it does
// nothing.
using FakeKernel = void (*)(void** params);
struct CUfunc_st {
  std::string name;
  size_t parameters = 0;
  FakeKernel run = nullptr;
  bool kernel = false;  // a CUkernel that is passed as a function
  bool silent = false;  // the driver does not tell where its parameters lie
};

struct CUgraph_st;
struct CUgraphNode_st {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  CUDA_MEMCPY3D copy = {};
  CUDA_KERNEL_NODE_PARAMS params = {};
  std::vector<uint64_t> values;
  std::vector<void*> pointers;
  void* extra[5] = {};  // where the parameters came as one buffer
  size_t buffer_size = 0;
  bool enabled = true;  // of an exec
  std::shared_ptr<CUgraph_st> child;
  std::vector<std::shared_ptr<CUgraph_st>> bodies;  // of a conditional node
  std::vector<CUgraph> listed_bodies;
  std::vector<CUstreamBatchMemOpParams> batch;
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<std::pair<CUgraphNode, CUgraphNode>> edges;
  std::set<std::pair<CUgraphNode, CUgraphNode>> programmatic;  // of them
};

extern "C" void fake_fire(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

// That a node was made.
void fake_announce_node(CUgraph graph, CUgraphNode node);

// Makes a node of a copy, or of a host function where `copy` is null, if the stream captures.
extern "C" bool fake_capture(CUstream stream, const CUDA_MEMCPY3D* copy);

void fake_keep_buffer(CUgraphNode_st* node);
std::unique_ptr<CUgraphNode_st> fake_copy_of(const CUgraphNode_st& node);
std::shared_ptr<CUgraph_st> fake_copy_of(const CUgraph_st& graph);

// The exec's own of a node of its template.
CUgraphNode_st& fake_node_of(CUgraphExec exec, CUgraphNode node);

std::unique_ptr<CUgraphNode_st> fake_kernel_node(CUfunction function, void** params);

// From the first on the device is never done again; the second waits for it, and so for ever.
extern "C" void fake_hang();
void fake_wait();
bool fake_hangs();

// One row of bytes, which is what copies of the stand-in driver are.
void fake_copy(const CUDA_MEMCPY3D& copy);

// Our own kernels by name, or null.
FakeKernel fake_own_kernel(const std::string& name);

inline CUcontext const kContext = reinterpret_cast<CUcontext>(0x1000);
inline std::atomic<uint32_t> fake_correlation = 0;

// Announces one API call before and after it is done.
template <class Params, class Body>
CUresult fake_call(CUpti_CallbackId id, const char* name, Params params, Body body) {
  CUresult result = CUDA_SUCCESS;
  CUpti_CallbackData data = {};
  data.callbackSite = CUPTI_API_ENTER;
  data.functionName = name;
  data.functionParams = &params;
  data.functionReturnValue = &result;
  data.context = kContext;
  data.correlationId = ++fake_correlation;
  fake_fire(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  body();
  data.callbackSite = CUPTI_API_EXIT;
  fake_fire(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  return result;
}
#define CALL(name, body, ...) \
  fake_call(CUPTI_DRIVER_TRACE_CBID_##name, #name, name##_params{__VA_ARGS__}, body)

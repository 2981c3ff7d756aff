// SPDX-License-Identifier: Apache-2.0
// The driver calls that replaying needs, by name: no CUDA library is linked, since the agent lives
// in processes that brought their own.
#pragma once

#include <cuda.h>

#include <string>

namespace bohr::replay::cuda {

#define BOHR_REPLAY_FUNCTIONS(X)   \
  X(cuCtxGetCurrent)               \
  X(cuCtxGetDevice)                \
  X(cuCtxSynchronize)              \
  X(cuEventCreate)                 \
  X(cuEventDestroy_v2)             \
  X(cuEventElapsedTime)            \
  X(cuEventRecord)                 \
  X(cuFuncGetName)                 \
  X(cuFuncGetParamInfo)            \
  X(cuGetErrorName)                \
  X(cuGraphAddDependencies_v2)     \
  X(cuGraphAddEmptyNode)           \
  X(cuGraphAddHostNode)            \
  X(cuGraphAddKernelNode_v2)       \
  X(cuGraphAddMemcpyNode)          \
  X(cuGraphAddMemsetNode)          \
  X(cuGraphChildGraphNodeGetGraph) \
  X(cuGraphCreate)                 \
  X(cuGraphDestroy)                \
  X(cuGraphExecDestroy)            \
  X(cuGraphGetEdges_v2)            \
  X(cuGraphGetNodes)               \
  X(cuGraphHostNodeGetParams)      \
  X(cuGraphInstantiateWithFlags)   \
  X(cuGraphKernelNodeGetAttribute) \
  X(cuGraphKernelNodeSetAttribute) \
  X(cuGraphKernelNodeGetParams_v2) \
  X(cuGraphLaunch)                 \
  X(cuGraphMemcpyNodeGetParams)    \
  X(cuGraphMemsetNodeGetParams)    \
  X(cuGraphNodeGetType)            \
  X(cuKernelGetName)               \
  X(cuKernelGetParamInfo)          \
  X(cuLaunchHostFunc)              \
  X(cuLaunchKernel)                \
  X(cuLaunchKernelEx)              \
  X(cuMemAlloc_v2)                 \
  X(cuMemAllocHost_v2)             \
  X(cuMemFree_v2)                  \
  X(cuMemFreeHost)                 \
  X(cuMemGetInfo_v2)               \
  X(cuMemcpyAsync)                 \
  X(cuMemcpyDtoHAsync_v2)          \
  X(cuMemcpyHtoDAsync_v2)          \
  X(cuMemcpy3DAsync_v2)            \
  X(cuMemsetD8Async)               \
  X(cuMemsetD16Async)              \
  X(cuMemsetD32Async)              \
  X(cuMemsetD2D8Async)             \
  X(cuMemsetD2D16Async)            \
  X(cuMemsetD2D32Async)            \
  X(cuModuleGetFunction)           \
  X(cuModuleLoadData)              \
  X(cuModuleUnload)                \
  X(cuPointerGetAttributes)        \
  X(cuStreamCreate)                \
  X(cuStreamDestroy_v2)            \
  X(cuStreamQuery)                 \
  X(cuStreamSynchronize)

struct Driver {
#define X(name) decltype(&::name) name = nullptr;
  BOHR_REPLAY_FUNCTIONS(X)
#undef X
};

// Fills `driver` from the library that `handle` (of dlopen) names. False, and which function it
// lacks, when it is too old.
bool load(void* handle, Driver* driver, std::string* missing);

// "CUDA_ERROR_ILLEGAL_ADDRESS".
std::string name_of(const Driver& driver, CUresult result);

}  // namespace bohr::replay::cuda

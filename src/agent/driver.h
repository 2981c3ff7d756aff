// SPDX-License-Identifier: Apache-2.0
// The driver's and CUPTI's functions that the agent calls, found with dlsym: the agent links
// neither, so it loads anywhere and meets the very copies that the guest uses.
//
// Only calls that are legal while any stream captures may stand here, and none of them may be made
// while a lock of ours is held: a callback on another thread may hold a lock of the driver's and
// wait for ours.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <string>

namespace bohr::agent {

// Versioned names on purpose: the header's macros differ between toolkits. Those that older
// drivers lack stay null.
#define BOHR_DRIVER_FUNCTIONS(X)    \
  X(cuDriverGetVersion)             \
  X(cuDeviceGetCount)               \
  X(cuDeviceGetName)                \
  X(cuDeviceTotalMem_v2)            \
  X(cuCtxGetCurrent)                \
  X(cuCtxGetDevice)                 \
  X(cuStreamGetFlags)               \
  X(cuStreamGetPriority)            \
  X(cuStreamGetCtx)                 \
  X(cuFuncGetName)                  \
  X(cuFuncGetParamInfo)             \
  X(cuKernelGetName)                \
  X(cuKernelGetParamInfo)           \
  X(cuGraphGetNodes)                \
  X(cuGraphGetEdges_v2)             \
  X(cuGraphAddDependencies_v2)      \
  X(cuGraphRemoveDependencies_v2)   \
  X(cuGraphNodeFindInClone)         \
  X(cuGraphNodeGetType)             \
  X(cuGraphKernelNodeGetParams_v2)  \
  X(cuGraphKernelNodeGetAttribute)  \
  X(cuGraphMemcpyNodeGetParams)     \
  X(cuGraphMemsetNodeGetParams)     \
  X(cuGraphChildGraphNodeGetGraph)  \
  X(cuGraphEventRecordNodeGetEvent) \
  X(cuGraphEventWaitNodeGetEvent)   \
  X(cuGraphMemAllocNodeGetParams)   \
  X(cuGraphMemFreeNodeGetParams)    \
  X(cuGraphBatchMemOpNodeGetParams) \
  X(cuStreamGetCaptureInfo_v3)      \
  X(cuPointerGetAttribute)

struct Driver {
#define X(name) decltype(&::name) name = nullptr;
  BOHR_DRIVER_FUNCTIONS(X)
#undef X
};

struct Cupti {
  decltype(&::cuptiSubscribe) cuptiSubscribe = nullptr;
  decltype(&::cuptiUnsubscribe) cuptiUnsubscribe = nullptr;
  decltype(&::cuptiEnableCallback) cuptiEnableCallback = nullptr;
  decltype(&::cuptiGetResultString) cuptiGetResultString = nullptr;
  decltype(&::cuptiGetVersion) cuptiGetVersion = nullptr;
};

// Fill `driver` from the mapped libcuda. False and `why` when a function that recording cannot do
// without is missing.
bool load_driver(Driver* driver, std::string* why);

// Prefers the copy that is mapped already (a second one would fight with it for the one
// subscriber), then $BOHR_CUPTI, the dynamic loader's path, the toolkit's folders, and the Python
// wheels beside a mapped CUDA runtime.
bool load_cupti(Cupti* cupti, std::string* why);

}  // namespace bohr::agent

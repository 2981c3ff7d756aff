// SPDX-License-Identifier: Apache-2.0
// How the CUDA runtime finds the stand-in driver's functions: by name and version. Addresses are
// the library's own, whatever else defines the names (it is linked with -Bsymbolic-functions).
// FAKE_OTHER_ADDRESSES=1: they are not those that the library exports.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "fake.h"

namespace {

// Of each name the newest version.
#define FAKE_FUNCTIONS(X)                               \
  X(cuInit, cuInit)                                     \
  X(cuGetProcAddress, cuGetProcAddress_v2)              \
  X(cuMemAlloc, cuMemAlloc_v2)                          \
  X(cuMemFree, cuMemFree_v2)                            \
  X(cuMemAllocHost, cuMemAllocHost_v2)                  \
  X(cuMemFreeHost, cuMemFreeHost)                       \
  X(cuMemHostAlloc, cuMemHostAlloc)                     \
  X(cuMemHostRegister, cuMemHostRegister_v2)            \
  X(cuMemcpyAsync, cuMemcpyAsync)                       \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)            \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)            \
  X(cuMemcpy3DAsync, cuMemcpy3DAsync_v2)                \
  X(cuMemsetD8Async, cuMemsetD8Async)                   \
  X(cuLaunchKernel, cuLaunchKernel)                     \
  X(cuLaunchKernelEx, cuLaunchKernelEx)                 \
  X(cuLaunchHostFunc, cuLaunchHostFunc)                 \
  X(cuStreamCreate, cuStreamCreate)                     \
  X(cuStreamDestroy, cuStreamDestroy_v2)                \
  X(cuStreamSynchronize, cuStreamSynchronize)           \
  X(cuStreamQuery, cuStreamQuery)                       \
  X(cuStreamWaitEvent, cuStreamWaitEvent)               \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2)      \
  X(cuStreamEndCapture, cuStreamEndCapture)             \
  X(cuCtxSynchronize, cuCtxSynchronize)                 \
  X(cuEventCreate, cuEventCreate)                       \
  X(cuEventDestroy, cuEventDestroy_v2)                  \
  X(cuEventRecord, cuEventRecord)                       \
  X(cuEventQuery, cuEventQuery)                         \
  X(cuEventSynchronize, cuEventSynchronize)             \
  X(cuGraphAddKernelNode, cuGraphAddKernelNode_v2)      \
  X(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode) \
  X(cuGraphAddDependencies, cuGraphAddDependencies_v2)  \
  X(cuGraphInstantiate, cuGraphInstantiateWithFlags)    \
  X(cuGraphLaunch, cuGraphLaunch)                       \
  X(cuGraphDestroy, cuGraphDestroy)                     \
  X(cuGraphExecDestroy, cuGraphExecDestroy)             \
  X(cuGraphNodeSetEnabled, cuGraphNodeSetEnabled)       \
  X(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2)

struct Function {
  std::string_view name;
  void* exported;
};
const Function* functions() {
#define FAKE_FUNCTION(name, function) {#name, reinterpret_cast<void*>(&function)},
  static const Function all[] = {FAKE_FUNCTIONS(FAKE_FUNCTION){"", nullptr}};
  return all;
}

#define FAKE_ONE(name, function) +1
constexpr size_t kCount = 0 FAKE_FUNCTIONS(FAKE_ONE);

// Another address of the same function, which takes its parameters as words.
template <size_t index>
uint64_t other(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
               uint64_t h, uint64_t i, uint64_t j, uint64_t k) {
  using Call = uint64_t (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                            uint64_t, uint64_t, uint64_t, uint64_t);
  return reinterpret_cast<Call>(functions()[index].exported)(a, b, c, d, e, f, g, h, i, j, k);
}
template <size_t... index>
std::array<void*, kCount> others(std::index_sequence<index...>) {
  return {reinterpret_cast<void*>(&other<index>)...};
}

}  // namespace

extern "C" {

// What no header declares yet.
CUresult cuFutureThing(int) { return CUDA_SUCCESS; }

CUresult cuGetProcAddress_v2(const char* symbol, void** found, int, cuuint64_t,
                             CUdriverProcAddressQueryResult*) {
  static const auto all = others(std::make_index_sequence<kCount>());
  static const bool elsewhere = std::getenv("FAKE_OTHER_ADDRESSES") != nullptr;
  for (size_t i = 0; i < kCount; ++i) {
    if (functions()[i].name != symbol) continue;
    return *found = elsewhere ? all[i] : functions()[i].exported, CUDA_SUCCESS;
  }
  return *found = nullptr, CUDA_ERROR_NOT_FOUND;
}
}

// SPDX-License-Identifier: Apache-2.0
// One driver call as its entry and its exit show it, and the table of the calls that are recorded.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <cstdint>
#include <span>

#include "agent/events.h"
#include "agent/linked_names.h"
#include "agent/recorder.h"
#include "agent/wrapping.h"
#include "trace/writer/records.h"

// The toolkit's header gives these names to their newest versions. A row means the function that
// has the name in the driver, which programs call that were built with an older toolkit.
#undef cuGraphAddDependencies
#undef cuGraphAddKernelNode
#undef cuGraphAddNode
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate
#undef cuGraphKernelNodeSetParams
#undef cuGraphInstantiate
#undef cuGraphRemoveDependencies
#undef cuMemcpy3DBatchAsync
#undef cuMemcpyBatchAsync
#undef cuStreamBatchMemOp
#undef cuStreamBeginCapture
#undef cuStreamUpdateCaptureDependencies
#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamWriteValue32
#undef cuStreamWriteValue64

namespace bohr::agent {

struct Api;

// Lives in thread-local storage between the entry and the exit of its call, so it is plain data.
struct DriverCall {
  const Api* api = nullptr;
  uint32_t correlation = 0;
  const void* params = nullptr;
  const char* symbol = nullptr;
  CUcontext context = nullptr;
  CUstream stream = nullptr;  // explicit; null for calls that name none
  uint64_t before = 0;        // not 0: a number that was taken ahead of `seq`
  uint64_t seq = 0;
  uint64_t exit = 0;
  uint32_t thread = 0;
  uint32_t stack = 0;
  uint32_t capture = 0;                       // what the stream captured into at entry
  uint32_t node_stream = 0;                   // in a capture: the stream's number
  EventVersion event;                         // waits and syncs: what they are bound to
  trace::Layer layer = trace::Layer::driver;  // frees: of what is freed
  bool node_seen = false;
  CUresult result = CUDA_SUCCESS;
};

struct Api {
  CUpti_CallbackId id = 0;
  const char* symbol = nullptr;  // of the driver's function
  const char* name = nullptr;    // the same without what tells its default streams apart
  Wrapper (*wrapper)() = nullptr;
  bool per_thread = false;
  bool builds = false;  // makes nodes of a graph built by hand
  // The stream in the call's parameters; null when it names none.
  CUstream (*stream)(const void* params) = nullptr;
  void (*enter)(Recorder& r, DriverCall& call) = nullptr;
  // Only for calls that succeeded, unless `always`.
  void (*leave)(Recorder& r, DriverCall& call) = nullptr;
  bool always = false;
};

// CUPTI has no struct for a call that takes nothing, and lacks one that its header names.
struct NoParams {};
using cuCtxSynchronize_params = NoParams;
using cuMemHostAlloc_v2_params = cuMemHostAlloc_params;

template <class Params>
const Params& params_of(const DriverCall& call) {
  return *static_cast<const Params*>(call.params);
}

// What every row begins with.
#define BOHR_FUNCTION(id, name)                                                                \
  CUPTI_DRIVER_TRACE_CBID_##id, linked_name(#id, wrapping::field_count<id##_params>()), #name, \
      &Wrapping<CUPTI_DRIVER_TRACE_CBID_##id, id##_params>::wrapper

// Both entry points of a call that takes a stream.
#define BOHR_STREAM_API_ENTRY(id, name, per_thread, enter, leave, always)                          \
  Api {                                                                                            \
    BOHR_FUNCTION(id, name), per_thread, false,                                                    \
        [](const void* p) { return static_cast<const name##_params*>(p)->hStream; }, enter, leave, \
        always                                                                                     \
  }
#define BOHR_STREAM_API(name, enter, leave)                      \
  BOHR_STREAM_API_ENTRY(name, name, false, enter, leave, false), \
      BOHR_STREAM_API_ENTRY(name##_ptsz, name, true, enter, leave, false)
// `leave` also for calls that failed.
#define BOHR_STREAM_API_ALWAYS(name, enter, leave)              \
  BOHR_STREAM_API_ENTRY(name, name, false, enter, leave, true), \
      BOHR_STREAM_API_ENTRY(name##_ptsz, name, true, enter, leave, true)

// A call that works on the default stream of its entry point.
#define BOHR_DEFAULT_STREAM_API_ENTRY(id, name, per_thread, enter, leave)                      \
  Api {                                                                                        \
    BOHR_FUNCTION(id, name), per_thread, false, [](const void*) { return CUstream(); }, enter, \
        leave                                                                                  \
  }
#define BOHR_DEFAULT_STREAM_API(name, enter, leave)               \
  BOHR_DEFAULT_STREAM_API_ENTRY(name, name, false, enter, leave), \
      BOHR_DEFAULT_STREAM_API_ENTRY(name##_ptds, name, true, enter, leave)

#define BOHR_PLAIN_API(name, enter, leave) \
  Api { BOHR_FUNCTION(name, name), false, false, nullptr, enter, leave }

// Fills `seq`, `exit`, `thread` and the stack of a record.
trace::Call call_of(Recorder& r, DriverCall& call);
uint32_t stream_of(Recorder& r, const DriverCall& call);
uint32_t context_of(Recorder& r, const DriverCall& call);

// The calls of each kind, by file.
std::span<const Api> kernel_apis();
std::span<const Api> copy_apis();
std::span<const Api> set_apis();
std::span<const Api> stream_apis();
std::span<const Api> event_apis();
std::span<const Api> capture_apis();
std::span<const Api> graph_apis();
std::span<const Api> memory_apis();
std::span<const Api> unmodelled_apis();

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Work and synchronisation that is seen and not modelled: the check must know that it was there.
#include "agent/calls.h"

namespace bohr::agent {
namespace {

void add(Recorder& r, DriverCall& call, bool synchronises) {
  trace::Unmodelled record;
  record.call = call_of(r, call);
  if (call.stream) record.stream = stream_of(r, call);
  record.api = r.log->text(call.api->name);
  record.synchronises = synchronises;
  log_work(r, record);
}
void synchronisation(Recorder& r, DriverCall& call) { add(r, call, true); }
void work(Recorder& r, DriverCall& call) {
  add(r, call, false);
  stop_watching_pinned(r, "a call was made whose accesses are not known");
}

template <class Params>
CUstream stream_field(const void* params) {
  return static_cast<const Params*>(params)->stream;
}

// Both entry points of a call whose parameter is named `stream`.
#define BOHR_UNMODELLED_ENTRY(id, name, per_thread, leave) \
  Api { BOHR_FUNCTION(id, name), per_thread, false, stream_field<name##_params>, nullptr, leave }
#define BOHR_UNMODELLED(name, leave)               \
  BOHR_UNMODELLED_ENTRY(name, name, false, leave), \
      BOHR_UNMODELLED_ENTRY(name##_ptsz, name, true, leave)

constexpr Api kUnmodelledApis[] = {
    BOHR_UNMODELLED(cuStreamWaitValue32, synchronisation),
    BOHR_UNMODELLED(cuStreamWaitValue32_v2, synchronisation),
    BOHR_UNMODELLED(cuStreamWaitValue64, synchronisation),
    BOHR_UNMODELLED(cuStreamWaitValue64_v2, synchronisation),
    BOHR_UNMODELLED(cuStreamWriteValue32, synchronisation),
    BOHR_UNMODELLED(cuStreamWriteValue32_v2, synchronisation),
    BOHR_UNMODELLED(cuStreamWriteValue64, synchronisation),
    BOHR_UNMODELLED(cuStreamWriteValue64_v2, synchronisation),
    BOHR_UNMODELLED(cuStreamBatchMemOp, synchronisation),
    BOHR_UNMODELLED(cuStreamBatchMemOp_v2, synchronisation),
    BOHR_UNMODELLED(cuSignalExternalSemaphoresAsync, synchronisation),
    BOHR_UNMODELLED(cuWaitExternalSemaphoresAsync, synchronisation),
    BOHR_STREAM_API(cuGraphicsMapResources, nullptr, synchronisation),
    BOHR_STREAM_API(cuGraphicsUnmapResources, nullptr, synchronisation),
    BOHR_STREAM_API(cuStreamAttachMemAsync, nullptr, work),
    BOHR_STREAM_API(cuMemMapArrayAsync, nullptr, work),
    BOHR_PLAIN_API(cuLaunchCooperativeKernelMultiDevice, nullptr, synchronisation),
    BOHR_PLAIN_API(cuLaunch, nullptr, work),
    BOHR_PLAIN_API(cuLaunchGrid, nullptr, work),
    BOHR_PLAIN_API(cuLaunchGridAsync, nullptr, work),
    BOHR_PLAIN_API(cuMulticastBindMem, nullptr, work),
    BOHR_PLAIN_API(cuMulticastBindAddr, nullptr, work),
    BOHR_PLAIN_API(cuGreenCtxRecordEvent, nullptr, synchronisation),
    BOHR_PLAIN_API(cuGreenCtxWaitEvent, nullptr, synchronisation),
#if CUDA_VERSION >= 12080
    BOHR_PLAIN_API(cuCtxRecordEvent, nullptr, synchronisation),
    BOHR_PLAIN_API(cuCtxWaitEvent, nullptr, synchronisation),
    BOHR_UNMODELLED(cuMemBatchDecompressAsync, work),
    BOHR_STREAM_API(cuMemcpy3DBatchAsync, nullptr, work),
#endif
#if CUDA_VERSION >= 13000
    BOHR_STREAM_API(cuMemcpy3DBatchAsync_v2, nullptr, work),
    BOHR_STREAM_API(cuMemDiscardBatchAsync, nullptr, work),
    BOHR_STREAM_API(cuMemDiscardAndPrefetchBatchAsync, nullptr, work),
#endif
};

}  // namespace

std::span<const Api> unmodelled_apis() { return kUnmodelledApis; }

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Streams made and destroyed, host synchronisation, and successful queries.
#include "agent/calls.h"

namespace bohr::agent {
namespace {

void created(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuStreamCreate_params>(call);
  stream_created(r, *p.phStream, call.context, p.Flags, 0);
}

void created_with_priority(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuStreamCreateWithPriority_params>(call);
  stream_created(r, *p.phStream, call.context, p.flags, p.priority);
}

#if CUDA_VERSION >= 12080
void created_green(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGreenCtxStreamCreate_params>(call);
  stream_created(r, *p.phStream, call.context, p.flags, p.priority);
}
#endif

// At entry: the handle may come back before the call returns.
void destroyed(Recorder& r, DriverCall& call) {
  stream_destroyed(r, params_of<cuStreamDestroy_v2_params>(call).hStream);
}

void add_sync(Recorder& r, DriverCall& call, trace::SyncKind what) {
  trace::HostSync record;
  record.call = call_of(r, call);
  record.what = what;
  if (call.stream) record.stream = stream_of(r, call);
  record.event = call.event.event;
  record.version = call.event.version;
  record.context = context_of(r, call);
  r.log->append(record);
}

void synchronised(Recorder& r, DriverCall& call) { add_sync(r, call, trace::SyncKind::stream); }
void queried(Recorder& r, DriverCall& call) { add_sync(r, call, trace::SyncKind::stream_query); }
void context_synchronised(Recorder& r, DriverCall& call) {
  add_sync(r, call, trace::SyncKind::context);
}
#if CUDA_VERSION >= 13000
void given_context_synchronised(Recorder& r, DriverCall& call) {
  if (CUcontext given = params_of<cuCtxSynchronize_v2_params>(call).ctx) call.context = given;
  add_sync(r, call, trace::SyncKind::context);
}
#endif

void bind_event(Recorder& r, DriverCall& call) {
  call.event = newest_version(r, params_of<cuEventSynchronize_params>(call).hEvent);
}
void event_synchronised(Recorder& r, DriverCall& call) {
  add_sync(r, call, trace::SyncKind::event);
}
void event_queried(Recorder& r, DriverCall& call) {
  add_sync(r, call, trace::SyncKind::event_query);
}

const Api kApis[] = {
    BOHR_PLAIN_API(cuStreamCreate, nullptr, created),
    BOHR_PLAIN_API(cuStreamCreateWithPriority, nullptr, created_with_priority),
#if CUDA_VERSION >= 12080
    BOHR_PLAIN_API(cuGreenCtxStreamCreate, nullptr, created_green),
#endif
    BOHR_PLAIN_API(cuStreamDestroy_v2, destroyed, nullptr),
    BOHR_STREAM_API(cuStreamSynchronize, nullptr, synchronised),
    BOHR_STREAM_API(cuStreamQuery, nullptr, queried),
    BOHR_PLAIN_API(cuCtxSynchronize, nullptr, context_synchronised),
#if CUDA_VERSION >= 13000
    BOHR_PLAIN_API(cuCtxSynchronize_v2, nullptr, given_context_synchronised),
#endif
    BOHR_PLAIN_API(cuEventSynchronize, bind_event, event_synchronised),
    BOHR_PLAIN_API(cuEventQuery, bind_event, event_queried),
};

}  // namespace

std::span<const Api> stream_apis() { return kApis; }

}  // namespace bohr::agent

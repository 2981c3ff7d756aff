// SPDX-License-Identifier: Apache-2.0
// Streams and contexts made and destroyed, host synchronisation, and successful queries.
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
  log_work(r, record);
}

// Pinned sources are looked at before the call waits, and forgotten once it has.
void synchronising(Recorder& r, DriverCall& call) {
  if (has_pinned_sources(r)) look_at_stream(r, call, stream_of(r, call));
}
void synchronised(Recorder& r, DriverCall& call) {
  add_sync(r, call, trace::SyncKind::stream);
  if (has_pinned_sources(r)) stream_done(r, stream_of(r, call), call.seq);
}
void queried(Recorder& r, DriverCall& call) {
  add_sync(r, call, trace::SyncKind::stream_query);
  if (has_pinned_sources(r)) stream_query_succeeded(r, call, stream_of(r, call));
}
void context_synchronised(Recorder& r, DriverCall& call) {
  add_sync(r, call, trace::SyncKind::context);
  all_done(r, call.seq);
}
#if CUDA_VERSION >= 13000
void given_context_synchronised(Recorder& r, DriverCall& call) {
  if (CUcontext given = params_of<cuCtxSynchronize_v2_params>(call).ctx) call.context = given;
  context_synchronised(r, call);
}
#endif

void context_gone(Recorder& r, DriverCall& call) {
  context_destroyed(r, params_of<cuCtxDestroy_v2_params>(call).ctx);
}
// Of a device; the handle stays what it was, and is used again.
void context_reset(Recorder& r, DriverCall& call) {
  CUcontext context = nullptr;
  CUdevice device = 0;
  if (r.driver.cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context) return;
  if (r.driver.cuCtxGetDevice(&device) != CUDA_SUCCESS) return;
  const bool own = device == params_of<cuDevicePrimaryCtxReset_v2_params>(call).dev;
  if (own) context_destroyed(r, context);
}

void bind_event(Recorder& r, DriverCall& call) {
  call.event = newest_version(r, params_of<cuEventSynchronize_params>(call).hEvent);
}
void event_synchronising(Recorder& r, DriverCall& call) {
  bind_event(r, call);
  look_at_event(r, call, call.event);
}
void event_synchronised(Recorder& r, DriverCall& call) {
  add_sync(r, call, trace::SyncKind::event);
  stream_done(r, call.event.stream, call.event.seq);
}
void event_querying(Recorder& r, DriverCall& call) {
  bind_event(r, call);
  query_entered(r, call);
}
void event_queried(Recorder& r, DriverCall& call) {
  add_sync(r, call, trace::SyncKind::event_query);
  event_query_succeeded(r, call, call.event);
}

constexpr Api kStreamApis[] = {
    BOHR_PLAIN_API(cuStreamCreate, nullptr, created),
    BOHR_PLAIN_API(cuStreamCreateWithPriority, nullptr, created_with_priority),
#if CUDA_VERSION >= 12080
    BOHR_PLAIN_API(cuGreenCtxStreamCreate, nullptr, created_green),
#endif
    BOHR_PLAIN_API(cuStreamDestroy_v2, destroyed, nullptr),
    BOHR_STREAM_API(cuStreamSynchronize, synchronising, synchronised),
    BOHR_STREAM_API(cuStreamQuery, query_entered, queried),
    BOHR_PLAIN_API(cuCtxSynchronize, look_at_all, context_synchronised),
#if CUDA_VERSION >= 13000
    BOHR_PLAIN_API(cuCtxSynchronize_v2, look_at_all, given_context_synchronised),
#endif
    BOHR_PLAIN_API(cuCtxDestroy_v2, context_gone, nullptr),
    BOHR_PLAIN_API(cuDevicePrimaryCtxReset_v2, context_reset, nullptr),
    BOHR_PLAIN_API(cuEventSynchronize, event_synchronising, event_synchronised),
    BOHR_PLAIN_API(cuEventQuery, event_querying, event_queried),
};

}  // namespace

std::span<const Api> stream_apis() { return kStreamApis; }

}  // namespace bohr::agent

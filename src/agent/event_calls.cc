// SPDX-License-Identifier: Apache-2.0
// Events made and destroyed, recorded and waited for, in captures as well.
#include "agent/calls.h"

namespace bohr::agent {
namespace {

void created(Recorder& r, DriverCall& call) {
  event_created(r, *params_of<cuEventCreate_params>(call).phEvent, false);
}
void opened(Recorder& r, DriverCall& call) {
  event_created(r, *params_of<cuIpcOpenEventHandle_params>(call).phEvent, true);
}
// Another process may record or wait for it from now on.
void shared(Recorder& r, DriverCall& call) {
  event_recorded_unseen(r, params_of<cuIpcGetEventHandle_params>(call).event);
}
void destroyed(Recorder& r, DriverCall& call) {
  event_destroyed(r, params_of<cuEventDestroy_v2_params>(call).hEvent);
}

// The version counts from the exit of the call: whatever the guest orders after the record is
// entered later than that. An external record in a capture makes versions when the graph runs, not
// now.
void add_record(Recorder& r, DriverCall& call, CUevent event, bool external) {
  const uint32_t stream = stream_of(r, call);
  const EventVersion version = external
                                   ? EventVersion{newest_version(r, event).event}
                                   : new_version(r, event, call.capture ? 0 : stream, call.seq);
  trace::EventRecord record;
  record.call = call_of(r, call);
  record.event = version.event;
  record.version = version.version;
  record.stream = stream;
  record.capture = call.capture;
  record.external = external;
  if (record.capture) {
    r.log->append(record);
  } else {
    log_work(r, record);
  }
}

void recorded(Recorder& r, DriverCall& call) {
  add_record(r, call, params_of<cuEventRecord_params>(call).hEvent, false);
}
void recorded_with_flags(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuEventRecordWithFlags_params>(call);
  add_record(r, call, p.hEvent, call.capture && (p.flags & CU_EVENT_RECORD_EXTERNAL));
}

void bind(Recorder& r, DriverCall& call) {
  call.event = newest_version(r, params_of<cuStreamWaitEvent_params>(call).hEvent);
}

// A wait may be what brings the stream into a capture, so the capture is asked for again.
void waited(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuStreamWaitEvent_params>(call);
  if (!call.capture) call.capture = capture_state(r, call.stream).capture;
  trace::EventWait record;
  record.call = call_of(r, call);
  record.event = call.event.event;
  record.version = call.event.version;
  record.stream = stream_of(r, call);
  record.capture = call.capture;
  record.external = call.capture && (p.Flags & CU_EVENT_WAIT_EXTERNAL);
  if (record.capture) {
    r.log->append(record);
  } else {
    log_work(r, record);
  }
  if (!call.capture) stream_waits(r, record.stream, call.seq, call.event);
}

constexpr Api kEventApis[] = {
    BOHR_PLAIN_API(cuEventCreate, nullptr, created),
    BOHR_PLAIN_API(cuIpcOpenEventHandle, nullptr, opened),
    BOHR_PLAIN_API(cuIpcGetEventHandle, nullptr, shared),
    BOHR_PLAIN_API(cuEventDestroy_v2, destroyed, nullptr),
    BOHR_STREAM_API(cuEventRecord, nullptr, recorded),
    BOHR_STREAM_API(cuEventRecordWithFlags, nullptr, recorded_with_flags),
    BOHR_STREAM_API(cuStreamWaitEvent, bind, waited),
};

}  // namespace

std::span<const Api> event_apis() { return kEventApis; }

}  // namespace bohr::agent

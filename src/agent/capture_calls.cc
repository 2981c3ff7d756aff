// SPDX-License-Identifier: Apache-2.0
// Captures begun and ended. The graph is read when its capture ends: nothing captures into it any
// more, and frameworks destroy it soon after.
#include "agent/calls.h"
#include "agent/provenance.h"

namespace bohr::agent {
namespace {

void begin(Recorder& r, DriverCall& call, unsigned mode) {
  r.captures_active.fetch_add(1);
  keep_live_blocks(r);
  trace::CaptureBegin record;
  record.capture = call.capture = capture_state(r, call.stream).capture;
  record.call = call_of(r, call);
  record.stream = stream_of(r, call);
  record.mode = mode;
  {
    std::lock_guard lock(r.mutex);
    r.graphs.open[call.stream] = record.capture;
  }
  r.log->append(record);
}

void began(Recorder& r, DriverCall& call) {
  begin(r, call, params_of<cuStreamBeginCapture_v2_params>(call).mode);
}
void began_global(Recorder& r, DriverCall& call) { begin(r, call, CU_STREAM_CAPTURE_MODE_GLOBAL); }
void began_to_graph(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuStreamBeginCaptureToGraph_params>(call);
  begin(r, call, p.mode);
  if (is_body(r, p.hGraph)) return;
  diagnose(r, "capture-to-graph", "a capture adds to a graph that existed", true, call.seq,
           call.exit);
}

// What holds the graph that was captured into is to be read again.
void added_to(Recorder& r) {
  std::lock_guard lock(r.mutex);
  ++r.graphs.edits;
}

// Also for captures that failed: the guest may go on without them.
void ended(Recorder& r, DriverCall& call) {
  trace::CaptureEnd record;
  {
    std::lock_guard lock(r.mutex);
    auto found = r.graphs.open.find(call.stream);
    if (found == r.graphs.open.end()) return;
    record.capture = call.capture = found->second;
    r.graphs.open.erase(found);
  }
  r.captures_active.fetch_sub(1);
  r.captures_ended.fetch_add(1);
  const auto& p = params_of<cuStreamEndCapture_params>(call);
  if (call.result == CUDA_SUCCESS && p.phGraph && *p.phGraph) {
    if (is_body(r, *p.phGraph)) added_to(r);
    record.graph = read_graph(r, *p.phGraph, record.capture);
  }
  report_unseen_allocator(r);
  add_libraries(r);
  record.call = call_of(r, call);
  record.stream = stream_of(r, call);
  r.log->append(record);
  captured(r);
}

// The guest sets by hand what the next node depends on: stream order no longer tells.
void updated(Recorder& r, DriverCall& call) {
  trace::Unmodelled record;
  record.call = call_of(r, call);
  record.stream = stream_of(r, call);
  record.api = r.log->text(call.api->name);
  record.synchronises = true;
  r.log->append(record);
}

constexpr Api kCaptureApis[] = {
    BOHR_STREAM_API(cuStreamBeginCapture, nullptr, began_global),
    BOHR_STREAM_API(cuStreamBeginCapture_v2, nullptr, began),
    BOHR_STREAM_API(cuStreamBeginCaptureToGraph, nullptr, began_to_graph),
    BOHR_STREAM_API_ALWAYS(cuStreamEndCapture, nullptr, ended),
    BOHR_STREAM_API(cuStreamUpdateCaptureDependencies, nullptr, updated),
    BOHR_STREAM_API(cuStreamUpdateCaptureDependencies_v2, nullptr, updated),
};

}  // namespace

std::span<const Api> capture_apis() { return kCaptureApis; }

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
#include "agent/gate.h"

#include <cstring>
#include <string>

#include "agent/process.h"

namespace bohr::agent {
namespace {

thread_local ThreadCalls calls_of_thread;

NodeOrigin origin_of(const DriverCall& call) {
  return {call.seq, call.thread, call.stack, call.node_stream};
}

// A call made in a capture whose node nobody announced: the stream's frontier is that node.
void adopt_captured(Recorder& r, const DriverCall& call) {
  const CaptureState state = capture_state(r, call.stream);
  if (!state.newest) return;
  std::lock_guard lock(r.mutex);
  r.graphs.templates[state.graph].origins.try_emplace(state.newest, origin_of(call));
}

// The same for a graph built by hand: each such call takes first where its node goes, then the
// graph.
struct Built {
  CUgraphNode* node;
  CUgraph graph;
};
void adopt_built(Recorder& r, const DriverCall& call) {
  const auto& built = params_of<Built>(call);
  if (built.node && *built.node) node_created(r, built.graph, *built.node, origin_of(call));
}

void adopt_node(Recorder& r, const DriverCall& call) {
  if (call.node_seen || call.result != CUDA_SUCCESS) return;
  if (call.api->builds) return adopt_built(r, call);
  if (call.capture) adopt_captured(r, call);
}

}  // namespace

ThreadCalls& thread_calls() { return calls_of_thread; }

void call_entered(Recorder& r, ThreadCalls& calls, const Api& api, const Told& told) {
  if (calls.depth == kMaxNested) calls.depth = 0;  // exits that never came
  DriverCall& call = calls.open[calls.depth++];
  call = DriverCall();
  call.api = &api;
  call.correlation = told.correlation;
  call.params = told.params;
  call.symbol = told.symbol;
  call.context = told.context;
  call.thread = this_thread(r);
  if (api.stream) call.stream = explicit_stream(api.stream(call.params), api.per_thread);
  if (call.stream) call.capture = capture_state(r, call.stream).capture;
  if (call.capture) call.node_stream = stream_of(r, call);
  if (call.capture || api.builds) call.stack = stack_of_call(r, true);
  call.seq = r.tick();
  if (api.enter) api.enter(r, call);
}

void call_left(Recorder& r, ThreadCalls& calls, const Api& api, const Told& told, CUresult result) {
  while (calls.depth > 0) {
    DriverCall& call = calls.open[--calls.depth];
    if (call.api != &api || call.correlation != told.correlation) continue;
    call.result = result;
    if (told.context) call.context = told.context;
    call.params = told.params;
    call.exit = r.tick();
    if (r.log->lost() > 0 && !r.log_stopped.load(std::memory_order_relaxed)) {
      stop_recording(r, "the log reached its limit, or its disk is full");
      if (!r.applying) return;
    }
    adopt_node(r, call);
    if (api.leave && (api.always || call.result == CUDA_SUCCESS)) api.leave(r, call);
    return;
  }
}

// Nodes that an instantiation makes are the exec's own, and of no interest.
void node_made(Recorder& r, ThreadCalls& calls, CUgraph graph, CUgraphNode node) {
  if (calls.depth == 0) return;
  DriverCall& call = calls.open[calls.depth - 1];
  if (!call.capture && !call.api->builds) return;
  call.node_seen = true;
  node_created(r, graph, node, origin_of(call));
}

void newer_called(Recorder& r, const char* name) {
  if (std::strstr(name, "Get")) return;
  trace::Unmodelled record;
  record.call.seq = record.call.exit = r.tick();
  record.call.thread = this_thread(r);
  record.api = r.log->text(name);
  record.synchronises = true;
  r.log->append(record);
}

void report_newer(Recorder& r, const char* name, uint64_t calls) {
  diagnose(r, "note",
           std::string(name) + ", which is newer than the recorder, was called " +
               std::to_string(calls) + (calls == 1 ? " time" : " times"));
}

}  // namespace bohr::agent

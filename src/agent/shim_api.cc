// SPDX-License-Identifier: Apache-2.0
// What the Python shim calls, through ctypes.PyDLL and so with the GIL held. Every function does
// nothing where this process is not recorded.
#include <vector>

#include "agent/process.h"
#include "agent/recorder.h"

#define BOHR_EXPORT extern "C" __attribute__((visibility("default")))

namespace bohr::agent {
namespace {

// The frames of the stack that the shim is describing.
std::vector<FrameName>& described_frames() {
  static auto* frames = new std::vector<FrameName>;  // the GIL guards it
  return *frames;
}

Recorder* active() {
  Recorder* r = recorder();
  return r && r->recording.load(std::memory_order_relaxed) ? r : nullptr;
}

trace::Call shim_call(Recorder& r) {
  trace::Call call;
  call.thread = this_thread(r);
  call.stack = r.stack_mode == StackMode::none ? 0 : current_stack(r, false);
  call.seq = r.tick();
  call.exit = r.tick();
  return call;
}

// Runs `body` with the recorder; no exception may cross into Python.
template <class Body>
void with_recorder(Body&& body) {
  Recorder* r = active();
  if (!r) return;
  try {
    body(*r);
  } catch (...) {
    stop_recording(*r, "the recorder ran out of memory");
  }
}

// The allocator names the default stream 0; its context is that of the device's primary context,
// which is the only one that frameworks use.
uint32_t history_stream(Recorder& r, uint64_t handle) {
  const CUstream stream = explicit_stream(reinterpret_cast<CUstream>(handle), false);
  const uint32_t known = known_stream(r, stream, context_number(r, nullptr));
  return known ? known : stream_number(r, stream, nullptr, this_thread(r));
}

}  // namespace
}  // namespace bohr::agent

using namespace bohr::agent;

// 1: recorded. 2: recorded, and Python stacks can be read.
BOHR_EXPORT int bohr_hello() {
  Recorder* r = active();
  if (!r) return 0;
  if (r->stack_mode == StackMode::none) return 1;
  return calibrate_python(*r) ? 2 : 1;
}

BOHR_EXPORT void bohr_block(int freed, uint64_t address) {
  with_recorder([&](Recorder& r) {
    if (freed) {
      r.log->append(bohr::trace::BlockFree{shim_call(r), address});
    } else {
      r.log->append(bohr::trace::BlockAlloc{shim_call(r), address});
    }
  });
}

BOHR_EXPORT void bohr_framework(const char* name, const char* version, const char* allocator,
                                const char* settings) {
  with_recorder([&](Recorder& r) {
    r.log->append(bohr::trace::Framework{r.log->text(name), r.log->text(version),
                                         r.log->text(allocator), r.log->text(settings)});
  });
}

BOHR_EXPORT void bohr_diagnostic(const char* reason, const char* text, int loses_order) {
  with_recorder([&](Recorder& r) { diagnose(r, reason, text, loses_order != 0); });
}

BOHR_EXPORT void bohr_frame(const char* function, const char* file, uint32_t line) {
  with_recorder([&](Recorder& r) {
    described_frames().push_back({r.log->text(function).id, r.log->text(file).id, line, true});
  });
}

// The number of the stack whose frames were described since the last call, innermost first.
BOHR_EXPORT uint32_t bohr_stack() {
  uint32_t number = 0;
  with_recorder([&](Recorder& r) {
    number = stack_number(r, described_frames());
    described_frames().clear();
  });
  return number;
}

BOHR_EXPORT void bohr_history(uint64_t index, uint32_t device, uint32_t action, uint64_t address,
                              uint64_t bytes, uint64_t stream, uint64_t pool_a, uint64_t pool_b,
                              uint32_t stack) {
  with_recorder([&](Recorder& r) {
    bohr::trace::History record;
    record.index = index;
    record.device = device;
    record.action = static_cast<bohr::trace::HistoryAction>(action);
    record.address = address;
    record.bytes = bytes;
    record.stream = history_stream(r, stream);
    record.pool_a = pool_a;
    record.pool_b = pool_b;
    record.stack = stack;
    r.log->append(record);
  });
}

BOHR_EXPORT void bohr_segment(uint32_t device, uint64_t address, uint64_t bytes, uint64_t stream,
                              uint64_t pool_a, uint64_t pool_b) {
  with_recorder([&](Recorder& r) {
    r.log->append(
        bohr::trace::Segment{device, address, bytes, history_stream(r, stream), pool_a, pool_b});
  });
}

// For processes that end without their exit handlers.
BOHR_EXPORT void bohr_close() {
  Recorder* r = recorder();
  if (r && r->recording.exchange(false)) r->log->close(r->tick());
}

// SPDX-License-Identifier: Apache-2.0
// What the Python shim calls, through ctypes.PyDLL and so with the GIL held. Every function does
// nothing where this process is not recorded.
#include <dlfcn.h>

#include <atomic>
#include <ctime>

#include "agent/process.h"
#include "agent/recorder.h"

#define BOHR_EXPORT extern "C" __attribute__((visibility("default")))

namespace bohr::agent {
namespace {

// When the allocator's history is read: at the end of a capture, as long as that takes a small part
// of the time; again when captures are over for a while; and before its ring can be full. The GIL
// guards this.
constexpr uint32_t kBlocksPerDrain = 12'000;
constexpr int64_t kDrainDelayNs = 1'000'000'000;
// Python's main thread may stand in a call that does not end.
constexpr int64_t kPatienceNs = 2'000'000'000;
constexpr int64_t kRests = 20;  // times as long as a reading took

struct DrainState {
  std::atomic<void (*)()> drain{nullptr};
  uint32_t blocks = 0;
  std::atomic<uint64_t> captures{0};  // that had ended when it was last read
  std::atomic<int64_t> since{0};      // when a later one was noticed; 0: none
  std::atomic<int64_t> read_at{0};    // when it was last read
  std::atomic<int64_t> took{0};       // nanoseconds, then
};
DrainState drain_state;
std::atomic<int64_t> drain_asked{0};  // when Python was asked to; 0: it is not

int64_t now_by(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}
int64_t coarse_now() { return now_by(CLOCK_MONOTONIC_COARSE); }

bool is_described(const Recorder& r) {
  return r.captures_ended.load(std::memory_order_relaxed) ==
         drain_state.captures.load(std::memory_order_relaxed);
}

// Whether captures are over for a while, and not described yet.
bool captures_are_over(const Recorder& r) {
  if (r.captures_active.load(std::memory_order_relaxed) > 0) {
    drain_state.since.store(0, std::memory_order_relaxed);
    return false;
  }
  if (is_described(r)) return false;
  const int64_t now = coarse_now();
  int64_t since = 0;
  if (drain_state.since.compare_exchange_strong(since, now)) since = now;
  return now - since >= kDrainDelayNs;
}

bool drain_is_due(const Recorder& r) {
  return ++drain_state.blocks >= kBlocksPerDrain || captures_are_over(r);
}

void drain(Recorder& r) {
  drain_state.blocks = 0;
  const int64_t begin = now_by(CLOCK_MONOTONIC);
  const uint64_t since = r.tick();
  drain_state.drain.load()();
  history_read(r, since);
  drain_state.read_at = now_by(CLOCK_MONOTONIC);
  drain_state.took = drain_state.read_at - begin;
}

// With what was handed out after the captures.
void drain_for_good(Recorder& r) {
  drain_state.since = 0;
  drain_state.captures = r.captures_ended.load(std::memory_order_relaxed);
  drain(r);
}

// Calls back into Python, so it comes last in what the shim called.
void drain_when_due(Recorder& r) {
  if (drain_state.drain && drain_is_due(r)) drain_for_good(r);
}

// Python calls these on its main thread, between two steps of the program.
template <auto read>
int between_steps(void*) {
  drain_asked = 0;
  Recorder* r = recorder();
  if (r && r->recording.load() && r->captures_active.load() == 0) read(*r);
  return 0;
}

// False: it cannot be asked.
bool ask_python(int (*call)(void*)) {
  using AddPendingCall = int (*)(int (*)(void*), void*);
  const auto add = reinterpret_cast<AddPendingCall>(dlsym(RTLD_DEFAULT, "Py_AddPendingCall"));
  if (add && add(call, nullptr) == 0) return true;
  drain_asked = 0;
  return false;
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

bool ask_for_history(Recorder& r, bool at_once) {
  if (!drain_state.drain || is_described(r)) return true;
  if (!at_once && !captures_are_over(r)) return false;
  int64_t asked = 0;
  const int64_t now = coarse_now();
  if (!drain_asked.compare_exchange_strong(asked, now)) return now - asked >= kPatienceNs;
  return !ask_python(between_steps<drain_for_good>);
}

void captured(Recorder& r) {
  if (!drain_state.drain || r.captures_active.load() > 0) return;
  const int64_t now = now_by(CLOCK_MONOTONIC);
  if (now - drain_state.read_at < kRests * drain_state.took) return;
  int64_t asked = 0;
  if (drain_asked.compare_exchange_strong(asked, coarse_now())) ask_python(between_steps<drain>);
}

}  // namespace bohr::agent

using namespace bohr::agent;

// 1: recorded. 2: recorded, and Python stacks can be read.
BOHR_EXPORT int bohr_hello(const char* shim_file) {
  Recorder* r = active();
  if (!r) return 0;
  r->times_wanted.store(false);
  if (r->stack_mode == StackMode::none) return 1;
  leave_out_shim(*r, shim_file);
  return calibrate_python(*r) ? 2 : 1;
}

// `drain` reads the allocator's history; it is called from within bohr_allocated and bohr_freed.
BOHR_EXPORT void bohr_on_drain(void (*drain)()) { drain_state.drain = drain; }

BOHR_EXPORT void bohr_allocated(uint64_t address) {
  with_recorder([&](Recorder& r) {
    block_allocated(r, {shim_call(r), address});
    drain_when_due(r);
  });
}

BOHR_EXPORT void bohr_freed(uint64_t address) {
  with_recorder([&](Recorder& r) {
    r.frees.fetch_add(1, std::memory_order_relaxed);
    block_freed(r, {shim_call(r), address});
    drain_when_due(r);
  });
}

BOHR_EXPORT void bohr_framework(const char* name, const char* version, const char* allocator,
                                const char* settings) {
  with_recorder([&](Recorder& r) {
    r.framework_known.store(true);
    r.log->append(bohr::trace::Framework{r.log->text(name), r.log->text(version),
                                         r.log->text(allocator), r.log->text(settings)});
  });
}

// A Python package that has no library of its own, and its version.
BOHR_EXPORT void bohr_package(const char* name, const char* version) {
  with_recorder([&](Recorder& r) {
    r.log->append(bohr::trace::Provenance{bohr::trace::ProvenanceKind::package, r.log->text(name),
                                          r.log->text(version)});
  });
}

BOHR_EXPORT void bohr_diagnostic(const char* reason, const char* text, int loses_order) {
  with_recorder([&](Recorder& r) { diagnose(r, reason, text, loses_order != 0); });
}

// `count` entries of eight numbers: index, device, action, address, bytes, stream, and the pool's
// two. Their stacks are those of the live callbacks.
BOHR_EXPORT void bohr_history(const uint64_t* entries, uint64_t count) {
  with_recorder([&](Recorder& r) {
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t* entry = entries + i * 8;
      bohr::trace::History record;
      record.index = entry[0];
      record.device = static_cast<uint32_t>(entry[1]);
      record.action = static_cast<bohr::trace::HistoryAction>(entry[2]);
      record.address = entry[3];
      record.bytes = entry[4];
      record.stream = history_stream(r, entry[5]);
      record.pool_a = entry[6];
      record.pool_b = entry[7];
      block_told(r, record);
    }
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
  if (r && r->recording.exchange(false)) end_log(*r);
}

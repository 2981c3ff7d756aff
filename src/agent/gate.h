// SPDX-License-Identifier: Apache-2.0
// Where a driver call enters the recorder and leaves it, whichever way it comes: as CUPTI's
// callbacks (agent/inject.cc), or through a wrapper around the driver's function (agent/wrapped.h).
#pragma once

#include <cuda.h>

#include <cstdint>

#include "agent/calls.h"

namespace bohr::agent {

constexpr uint32_t kMaxNested = 8;

// Plain data without a destructor: threads end at any time.
struct ThreadCalls {
  DriverCall open[kMaxNested];
  uint32_t depth = 0;
  bool inside = false;  // in the recorder: driver calls that it makes itself are not looked at
};
ThreadCalls& thread_calls();

// Sets `inside` for its life.
class Inside {
 public:
  explicit Inside(ThreadCalls& calls) : calls_(calls), before_(calls.inside) {
    calls_.inside = true;
  }
  ~Inside() { calls_.inside = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  ThreadCalls& calls_;
  bool before_;
};

// What is told of a call at its entry, and again at its exit.
struct Told {
  const void* params = nullptr;  // the call's struct of generated_cuda_meta.h
  uint32_t correlation = 0;      // the same at entry and exit
  const char* symbol = nullptr;  // of the kernel that is launched, where it is told
  CUcontext context = nullptr;   // null: the current one
};

void call_entered(Recorder& r, ThreadCalls& calls, const Api& api, const Told& told);
void call_left(Recorder& r, ThreadCalls& calls, const Api& api, const Told& told, CUresult result);

// The call that is under way made this node.
void node_made(Recorder& r, ThreadCalls& calls, CUgraph graph, CUgraphNode node);

// A call that drivers had not when the recorder was built, the first time: taken for what loses
// order unless it only asks. And at the end, how often it was made.
void newer_called(Recorder& r, const char* name);
void report_newer(Recorder& r, const char* name, uint64_t calls);

template <class Visitor>
void for_each_api(Visitor&& visit) {
  for (std::span<const Api> apis :
       {kernel_apis(), copy_apis(), set_apis(), stream_apis(), event_apis(), capture_apis(),
        graph_apis(), memory_apis(), unmodelled_apis()}) {
    for (const Api& api : apis) visit(api);
  }
}

// Runs `work` for the recorder, from which no exception may get into the program.
template <class Work>
void guarded(Recorder& r, Work&& work) {
  try {
    work();
  } catch (...) {
    stop_recording(r, "the recorder ran out of memory or met an error of its own");
  }
}

}  // namespace bohr::agent

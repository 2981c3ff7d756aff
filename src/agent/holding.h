// SPDX-License-Identifier: Apache-2.0
// Holding a launch: the thread that is about to make it serves replays to bohr instead, and goes on
// when bohr lets it.
//
// While a launch is held, calls of other threads that submit work, allocate or free wait at their
// entry; queries and synchronisation pass. A launch is held only while no stream captures, for in a
// capture hardly any call is allowed. When bohr goes away, memory is restored and the launch made.
#pragma once

#include <cuda.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "replay/attach_page.h"
#include "replay/cuda/driver.h"
#include "replay/cuda/node.h"
#include "replay/replayer.h"

namespace bohr::agent {

struct Api;
struct DriverCall;
struct Recorder;

// Launches are offered when bohr asked for it by the environment, or later by the page. Until then
// a launch costs one look at that page, and other calls a count.
struct Holding {
  std::string log;  // path of this process's log
  replay::cuda::Driver driver;
  replay::AttachPage* page = nullptr;  // null: nobody can attach
  std::atomic<bool> open{false};       // somebody listens, as far as is known
  std::atomic<int> inside{0};          // calls under way that would have to wait
  std::atomic<bool> held{false};       // written with `mutex`
  std::mutex mutex;
  std::condition_variable released;
  // Guarded by the recorder's mutex.
  std::string socket;          // where bohr listens; empty: nowhere
  uint64_t turn = 0;           // of the page, that was read
  uint64_t first_launch = 10;  // of graphs that are instantiated from now on
  uint64_t next_launch = 1;    // of others: from when they were asked for
};

// What is kept of an exec in order to hold its launches.
struct ExecHold {
  std::shared_ptr<const replay::cuda::GraphWork> work;
  unsigned long long flags = 0;  // that it was instantiated with
  uint32_t graph = 0;            // the template's number
  uint64_t launches = 0;
  uint64_t turn = 0;    // of the holding, that `ask_at` stands for
  uint64_t ask_at = 0;  // 0: never
  std::chrono::steady_clock::time_point not_before = {};
  int answer_ms =
      2000;  // for bohr to look at the log; twice as long after each time it was not enough
  bool changed = false;                      // after instantiation, in a way that is not read
  std::shared_ptr<replay::Replayer> paused;  // of a search that goes on at a later launch
};

// `stem`: of this process's files. Null where the driver lacks what a hold needs.
std::unique_ptr<Holding> make_holding(const std::string& stem);

// Launches are offered.
bool is_open(const Recorder& r);

// At the entry of every recorded call, and at its exit. Waits while another thread holds a launch.
void enter_call(Recorder& r, const Api& api);
void leave_call(Recorder& r, const Api& api);

// At the entry of a launch outside captures. Whose memory is not described yet is counted and not
// offered.
void offer_launch(Recorder& r, CUgraphExec exec, bool described);

// The exec is another one now, or gone: a search of it that is paused has come to its end.
void drop_paused(Recorder& r, CUgraphExec exec);

// What nodes of a graph do, when launches may be held; else null.
std::shared_ptr<const replay::cuda::GraphWork> work_of(Recorder& r, CUgraph graph);

}  // namespace bohr::agent

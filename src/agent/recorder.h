// SPDX-License-Identifier: Apache-2.0
// The state of one recording: the log, the clock of sequence numbers, and the tables that turn the
// driver's handles, which it recycles, into numbers that are never used again.
//
// There is one Recorder per process, made by the injection entry and never destroyed: callbacks may
// arrive until the process is gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/applying.h"
#include "agent/blocks.h"
#include "agent/clocks.h"
#include "agent/driver.h"
#include "agent/events.h"
#include "agent/functions.h"
#include "agent/graphs.h"
#include "agent/holding.h"
#include "agent/memory.h"
#include "agent/pinned.h"
#include "agent/python_frames.h"
#include "agent/stacks.h"
#include "agent/streams.h"
#include "agent/tensor_maps.h"
#include "trace/writer/log_writer.h"
#include "trace/writer/recent_log.h"

namespace bohr::agent {

enum class StackMode : uint8_t { none, python, mixed, all };

struct Recorder {
  std::unique_ptr<trace::LogWriter> log;
  std::string stem;           // of this process's files
  std::string error_path;     // empty: there is no folder for it
  bool only_applies = false;  // repairs graphs and records nothing
  std::atomic<uint64_t> clock{1};
  std::atomic<bool> recording{false};
  std::atomic<bool> log_stopped{false};  // nothing is logged any more, while graphs are repaired
  std::atomic<bool> works{false};        // it asked a GPU for something
  std::atomic<bool> devices_named{false};
  std::atomic<bool> framework_known{false};
  std::atomic<bool> cubins_told{false};
  std::atomic<uint64_t> code_kept{0};  // bytes
  std::atomic<bool> code_left_out{false};
  std::atomic<bool> times_wanted{
      true};  // false: the allocator is seen, so nothing is placed by them
  std::atomic<int> captures_active{0};
  std::atomic<uint64_t> captures_ended{0};
  std::atomic<uint64_t> frees{
      0};  // of memory and of blocks: an address may mean something else now
  StackMode stack_mode = StackMode::mixed;
  Driver driver;
  Cupti cupti;

  // Guards the tables below; never held across a call into the driver.
  std::mutex mutex;
  Streams streams;
  Events events;
  Functions functions;
  Graphs graphs;
  MemoryMap memory;
  TensorMaps tensor_maps;

  std::unique_ptr<Applying> applying;  // null: graphs are left as they are
  std::unique_ptr<Holding> holding;    // null: no launch is ever held
  PinnedSources pinned;                // has a lock of its own
  Stacks stacks;                       // the same
  Clocks clocks;                       // the same
  Blocks blocks;                       // the same
  PythonFrames python;

  std::unique_ptr<trace::RecentLog> recent;  // null: work outside graphs is logged with all else

  uint64_t tick() {
    if (!recording.load(std::memory_order_relaxed) || !times_wanted.load(std::memory_order_relaxed))
      return clock.fetch_add(1, std::memory_order_relaxed);
    const uint64_t now = unix_time_ns();
    const uint64_t seq = clock.fetch_add(1, std::memory_order_relaxed);
    note_time(*this, seq, now);
    return seq;
  }
};

// The process's recorder; null before injection, after a fork, and when recording never began.
Recorder* recorder();
void set_recorder(Recorder* value);

// A Diagnostic record. `loses_order`: between sequence numbers `from` and `to`.
void diagnose(Recorder& r, std::string_view reason, std::string_view text, bool loses_order = false,
              uint64_t from = 0, uint64_t to = ~uint64_t{0});

// Says, once, that PyTorch is here and its allocator is not seen: the shim did not start, because
// Python ignores its path (-I, -E) or there is no Python. A process that only looks for devices, as
// a launcher of ranks does, has nothing to see.
void report_unseen_allocator(Recorder& r);

// A graph is about to be launched, and what the allocator handed out while it was captured may not
// be known yet: Python is asked to tell it, at once or when captures are over for a while. Needs no
// lock of Python's. True: it is known, or will not be.
bool ask_for_history(Recorder& r, bool at_once);
// A capture ended: what was handed out in it is asked for, too.
void captured(Recorder& r);

// Cuts the log's files to their lengths; nothing is logged any more.
void end_log(Recorder& r);

// Stops for good, and says why in the log and in <pid>.error.
void stop_recording(Recorder& r, std::string_view why);

// The same where the room of work outside graphs took no more.
void stop_without_room(Recorder& r);

// The record of a call that gives a stream work or waits for it, outside captures: of these a
// program that serves makes more than any log can hold.
template <class R>
void log_work(Recorder& r, const R& record) {
  if (!r.recent) {
    r.log->append(record);
    return;
  }
  if (!r.recent->append(record)) return stop_without_room(r);
  if (r.recent->turns() != r.blocks.turn.load(std::memory_order_relaxed)) keep_live_blocks(r);
}

// One line in BOHR_DIR/<pid>.error, where nothing else can be said.
void write_error(const std::string& path, std::string_view why);

}  // namespace bohr::agent

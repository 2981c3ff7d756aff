// SPDX-License-Identifier: Apache-2.0
// The simulated GPU: a runtime whose device is a program. It runs what it is asked for at once, in
// virtual time (see concurrent.h), so a program sees results, and what it polls for, as they would
// be; it writes the event log that the recorder would; and it keeps the tape, so that the whole
// program can be run again in other orders.
//
// Host calls are made one after the other, whichever thread makes them, each at its cost.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/runtime.h"
#include "gpu/sim/address_space.h"
#include "gpu/sim/arena.h"
#include "gpu/sim/caching_allocator.h"
#include "gpu/sim/capture.h"
#include "gpu/sim/concurrent.h"
#include "gpu/sim/event_log.h"
#include "gpu/sim/tape.h"
#include "gpu/sim/timing.h"

namespace bohr::gpu::sim {

struct Options {
  std::string log;  // file to write; empty: none
  uint64_t log_limit = uint64_t{1} << 30;
  bool declare = true;  // false: the log leaves out what kernels and host functions declare
  uint64_t seed = 1;
  Timing timing;
  ArenaSizes memory;
};

class Sim final : public Runtime {
 public:
  static Result<std::unique_ptr<Sim>> create(const Options& options);

  Thread make_thread(const std::string& name) override;
  void on_thread(Thread thread) override;
  void at(const Place& place) override;

  Stream make_stream(const StreamOptions& options) override;
  Event make_event() override;
  Status record(Event event, Stream stream) override;
  Status wait(Stream stream, Event event) override;
  Status sync_stream(Stream stream) override;
  Status sync_event(Event event) override;
  Status sync_device() override;
  Result<bool> query_stream(Stream stream) override;
  Result<bool> query_event(Event event) override;

  Result<uint64_t> alloc(uint64_t bytes, Stream stream, std::string_view name) override;
  Status free(uint64_t address) override;
  Status use_on(uint64_t address, Stream stream) override;
  Result<uint64_t> alloc_host(uint64_t bytes, HostMemory kind, std::string_view name) override;
  Status free_host(uint64_t address) override;

  Status launch(const KernelLaunch& launch, Stream stream) override;
  Status copy(uint64_t dst, uint64_t src, uint64_t bytes, Stream stream) override;
  Status fill(uint64_t dst, uint8_t value, uint64_t bytes, Stream stream) override;
  Status host_function(std::vector<Access> accesses, HostFunction function, Stream stream) override;
  Status touch(std::vector<Access> accesses, HostFunction function) override;
  Status host_write(uint64_t address, std::span<const uint8_t> bytes) override;
  Status host_read(uint64_t address, std::span<uint8_t> bytes) override;

  Pool make_pool() override;
  Status begin_capture(Stream stream, Pool pool, const std::string& name) override;
  Result<Graph> end_capture(Stream stream) override;
  Result<Exec> instantiate(Graph graph) override;
  Status update(Exec exec, Graph graph) override;
  Status set_params(Exec exec, int32_t node, const KernelLaunch& launch) override;
  Status launch(Exec exec, Stream stream) override;
  Status destroy(Graph graph) override;
  Status destroy(Exec exec) override;

  // Waits for all work and closes the log. Nothing can be asked for after it.
  Status finish();

  const Tape& tape() const { return tape_; }
  Arena& arena() { return arena_; }
  const ConcurrentRun& timeline() const { return *run_; }

 private:
  struct EventState {
    uint64_t version = 0;  // of its newest record
    int32_t op = -1;       // that record; -1: none, or in a capture
    uint32_t capture = 0;  // that the newest record was in
    Frontier frontier;     // there
  };
  struct GraphState {
    int32_t version = -1;  // index into Tape::graphs
    uint32_t number = 0;   // in the log
    std::string name;
    Pool pool;
    int32_t holders = 1;  // itself and its execs, while they are there
    bool alive = true;
  };
  struct ExecState {
    int32_t version = -1;
    std::string name;
    Graph graph;  // that it was made of
    bool alive = true;
  };

  Sim(const Options& options, std::unique_ptr<EventLog> log);
  void begin();

  // A call: its sequence numbers. `enter` refuses all calls behind a failure of the device.
  Status enter(trace::Call* call);
  trace::Call left(trace::Call call);
  Status keep(Status status);
  Status issue(TapeOp op, const trace::Call& call);
  Status take_time(const trace::Call& call);
  // Calls that no capture in the process survives.
  Status outside_captures(const char* what);
  Capture* capture_of(Stream stream);

  Status check_reach(const Work& work) const;
  Status submit(Work work, Stream stream);
  void log_work(const Work& work, Stream stream, const trace::Call& call, bool host_waits);
  Status touched(Work work);
  Status record_on(Event event, Stream stream, const trace::Call& call);
  // `event` is invalid where a stream or the device is waited for.
  Status sync(OpKind kind, trace::SyncKind what, Stream stream, Event event);
  Status sync_now(OpKind kind, trace::SyncKind what, Stream stream, Event event,
                  const trace::Call& call);
  int32_t add_version(GraphVersion version);
  void let_go(GraphState* graph);

  AllocatorDriver allocator_driver();
  trace::Call inner_call();
  std::optional<uint64_t> segment_alloc(uint64_t bytes);
  void segment_free(uint64_t address);
  EventToken allocator_record(StreamId stream);
  bool allocator_done(EventToken token);
  void allocator_sync(EventToken token, trace::SyncKind what);
  void note_history(const HistoryEntry& entry);
  void log_segments();
  void log_timings();
  void name_memory(uint64_t seq, uint64_t address, std::string_view name);
  Status begin_pool(Pool pool, uint32_t capture);

  Options options_;
  Arena arena_;
  AddressSpace device_;
  AddressSpace pinned_;
  AddressSpace pageable_;
  CachingAllocator allocator_;
  std::unique_ptr<EventLog> log_;
  Tape tape_;
  std::unique_ptr<ConcurrentRun> run_;
  std::unique_ptr<Error> failed_;

  uint64_t seq_ = 0;
  uint64_t history_ = 0;  // entries of the allocator's memory history so far
  Thread thread_;
  std::vector<uint32_t> stacks_;  // by thread: where its next call stands
  int32_t pools_ = 0;
  uint32_t captures_made_ = 0;
  std::vector<EventState> events_;
  std::map<uint32_t, Capture> captures_;  // that are open
  std::vector<GraphState> graphs_;
  std::vector<ExecState> execs_;
};

}  // namespace bohr::gpu::sim

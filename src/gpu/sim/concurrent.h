// SPDX-License-Identifier: Apache-2.0
// Runs a tape in virtual time: the host makes its calls in issue order, each at its cost, the
// device works beside it, and the host waits where the program did. The same tape, timing and seed
// give the same bytes and the same timeline; another seed gives other costs, and so, where the
// program lacks order, other orders.
//
// The tape may still grow: a program that runs for the first time issues each op as it is written.
//
// What an op waits for is what CUDA orders it after: its stream's work so far; by the rules of the
// legacy default stream the other blocking streams' too; the record that a wait is bound to; the
// last launch of the same exec; inside a graph the nodes that edges lead from. A programmatically
// launched kernel directly behind another starts when that one's last block is resident, and its
// rest waits for that one's end.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "gpu/sim/device.h"
#include "gpu/sim/executor.h"
#include "gpu/sim/more_order.h"
#include "gpu/sim/timing.h"

namespace bohr::gpu::sim {

class ConcurrentRun {
 public:
  // Starts from the arena as it is.
  ConcurrentRun(const Tape& tape, Arena* arena, const Timing& timing, uint64_t seed,
                MoreOrder more = {});
  ConcurrentRun(const ConcurrentRun&) = delete;
  ConcurrentRun& operator=(const ConcurrentRun&) = delete;

  // The next op of the tape. Fails as Executor::run_block does.
  Status issue(int32_t op);
  // Whether the device is done with a stream's work so far, or with a record op, by now.
  bool stream_done(Stream stream) const;
  bool record_done(int32_t op) const;
  // All work that was issued.
  Status finish();

  int64_t host_time() const { return host_time_; }
  int64_t device_time() const { return device_.now(); }
  // By the order of their ends.
  const std::vector<Span>& spans() const { return device_.spans(); }
  // Items that the host ran itself, in issue order.
  const std::vector<Span>& host_spans() const { return host_spans_; }

 private:
  struct StreamState {
    TaskId tail;        // its last task
    TaskId last_start;  // the first task of its last kernel, when nothing but records came since
  };
  struct Parts {
    TaskId first;
    TaskId last;
  };
  int64_t cost(const Item& item, uint32_t block) const;
  int64_t transfer_cost(const Work& work) const;
  void spend(int64_t ns);
  StreamState& stream(Stream id);
  std::vector<TaskId> stream_order(Stream id);
  void move_tail(const TapeOp& op, TaskId task);
  Status issue_work(const TapeOp& op, int32_t index);
  Status issue_launch(const TapeOp& op, int32_t index);
  Status wait_for(TaskId task);
  Status run_on_host(const Item& item, int64_t ns);
  TaskId add_order(std::vector<TaskId> after);
  TaskId add_item(TaskSpec spec);
  Parts add_items(const Item& item, const Work& work, int32_t priority, TaskSpec spec,
                  TaskId started);

  const Tape& tape_;
  Timing timing_;
  uint64_t seed_;
  Executor executor_;
  Device device_;
  int64_t host_time_ = 0;
  uint64_t calls_ = 0;
  std::vector<StreamState> streams_;
  std::vector<TaskId> task_of_op_;
  std::map<Exec, TaskId> launches_;
  std::vector<Span> host_spans_;
  MoreOrder more_;
  std::map<Item, TaskId> task_of_item_;  // where there is more order; invalid: the host ran it
};

// The whole tape under a seed, from the initial memory. The arena holds the result.
Result<std::vector<Span>> run_concurrent(const Tape& tape, const Timing& timing, uint64_t seed,
                                         Arena* arena);

// How long it takes with more order, from the first call until all is done, in nanoseconds.
Result<int64_t> time_concurrent(const Tape& tape, const Timing& timing, uint64_t seed,
                                const MoreOrder& more, Arena* arena);

}  // namespace bohr::gpu::sim

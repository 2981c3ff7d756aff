// SPDX-License-Identifier: Apache-2.0
// A device in virtual time: tasks with the tasks that they wait for, cut into blocks, of which a
// limited number is resident at once.
//
// It is a discrete-event simulation. A task is ready when it was issued and all that it waits for
// is done (or, where it waits for a start alone, has its last block resident). Blocks of ready
// tasks become resident by priority, then by who was ready first; each takes its cost, and its
// effects on memory happen at once at its end. Ties are broken by the order in which tasks were
// added, so a run depends on nothing but its inputs.
//
// Time never runs ahead of the caller: it moves on only in `run_to` and `run_until_done`, so that
// tasks can be added in the order in which a host issues them.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "gpu/sim/tape.h"

namespace bohr::gpu::sim {

using TaskId = Id<struct TaskTag>;

struct TaskSpec {
  Item item;                        // op -1: carries order only
  uint32_t blocks = 0;              // 0: done as soon as it is ready
  bool resident = true;             // its blocks take up places of the device
  int32_t priority = 0;             // lower ones go first
  int64_t earliest = 0;             // virtual time, in nanoseconds
  std::vector<TaskId> after;        // done before this starts; invalid ones are left out
  std::vector<TaskId> after_start;  // started before this starts
};

// When an item ran.
struct Span {
  Item item;
  int64_t begin = 0;
  int64_t end = 0;
};

class Device {
 public:
  using RunBlock = std::function<Status(const Item&, uint32_t block)>;
  using Cost = std::function<int64_t(const Item&, uint32_t block)>;

  Device(uint32_t resident_blocks, Cost cost, RunBlock run_block);

  TaskId add(const TaskSpec& spec);
  bool done(TaskId task) const { return !task.valid() || tasks_[task.index()].done; }

  int64_t now() const { return now_; }
  // All that happens up to and at `time`, which is then `now`.
  Status run_to(int64_t time);
  // Up to the end of one task; of all tasks.
  Status run_until_done(TaskId task);
  Status run_all();

  // Items that ended, in the order of their ends.
  const std::vector<Span>& spans() const { return spans_; }

 private:
  struct Task {
    Item item;
    uint32_t blocks = 0;
    uint32_t next_block = 0;
    uint32_t blocks_left = 0;
    int32_t missing = 0;  // tasks that it still waits for
    int32_t priority = 0;
    bool resident = true;
    bool started = false;
    bool done = false;
    int64_t earliest = 0;
    int64_t begin = 0;
    std::vector<TaskId> next;              // that wait for its end
    std::vector<TaskId> next_after_start;  // that wait for its start
  };
  struct Happening {
    int64_t time = 0;
    uint64_t order = 0;  // among equal times: as they were put in
    TaskId task;
    int64_t block = -1;  // that ends; -1: the task is ready
    bool operator>(const Happening& o) const {
      return std::tie(time, order) > std::tie(o.time, o.order);
    }
  };
  void put(int64_t time, TaskId task, int64_t block);
  Status step();
  void become_ready(TaskId id);
  void start_block(TaskId id);
  void make_resident();
  void release(std::vector<TaskId>* waiting);
  void finish(TaskId id);

  Cost cost_;
  RunBlock run_block_;
  uint32_t places_;
  int64_t now_ = 0;
  uint64_t order_ = 0;
  std::vector<Task> tasks_;
  std::priority_queue<Happening, std::vector<Happening>, std::greater<>> happenings_;
  std::set<std::tuple<int32_t, int64_t, TaskId>> waiting_;  // for a place: priority, ready since
  std::vector<Span> spans_;
};

}  // namespace bohr::gpu::sim

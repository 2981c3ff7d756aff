// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/device.h"

#include <algorithm>
#include <utility>

namespace bohr::gpu::sim {

Device::Device(uint32_t resident_blocks, Cost cost, RunBlock run_block)
    : cost_(std::move(cost)),
      run_block_(std::move(run_block)),
      places_(std::max(resident_blocks, uint32_t{1})) {}

TaskId Device::add(const TaskSpec& spec) {
  const TaskId id(tasks_.size());
  Task task;
  task.item = spec.item;
  task.blocks = task.blocks_left = spec.blocks;
  task.resident = spec.resident;
  task.priority = spec.priority;
  task.earliest = std::max(spec.earliest, now_);
  for (const TaskId before : spec.after) {
    if (done(before)) continue;
    tasks_[before.index()].next.push_back(id);
    ++task.missing;
  }
  for (const TaskId before : spec.after_start) {
    if (!before.valid() || tasks_[before.index()].started) continue;
    tasks_[before.index()].next_after_start.push_back(id);
    ++task.missing;
  }
  tasks_.push_back(std::move(task));
  if (tasks_.back().missing == 0) put(tasks_.back().earliest, id, -1);
  return id;
}

void Device::put(int64_t time, TaskId task, int64_t block) {
  happenings_.push({std::max(time, now_), order_++, task, block});
}

void Device::release(std::vector<TaskId>* waiting) {
  for (const TaskId id : *waiting) {
    Task& task = tasks_[id.index()];
    if (--task.missing == 0) put(task.earliest, id, -1);
  }
  waiting->clear();
}

void Device::become_ready(TaskId id) {
  Task& task = tasks_[id.index()];
  task.begin = now_;
  if (task.blocks == 0) {
    finish(id);
  } else if (task.resident) {
    waiting_.insert({task.priority, now_, id});
  } else {
    while (task.next_block < task.blocks) start_block(id);
  }
}

void Device::start_block(TaskId id) {
  Task& task = tasks_[id.index()];
  const uint32_t block = task.next_block++;
  if (block == 0) task.begin = now_;
  put(now_ + cost_(task.item, block), id, block);
  if (task.next_block < task.blocks) return;
  task.started = true;
  release(&task.next_after_start);
}

void Device::make_resident() {
  while (places_ > 0 && !waiting_.empty()) {
    const auto first = waiting_.begin();
    const TaskId id = std::get<TaskId>(*first);
    --places_;
    start_block(id);
    if (tasks_[id.index()].started) waiting_.erase(first);
  }
}

void Device::finish(TaskId id) {
  Task& task = tasks_[id.index()];
  task.done = task.started = true;
  if (task.item.op >= 0) spans_.push_back({task.item, task.begin, now_});
  release(&task.next_after_start);
  release(&task.next);
}

// What happens at one moment happens one after the other; places are given away behind each, so
// that a block that ends makes room at once.
Status Device::step() {
  const Happening happening = happenings_.top();
  happenings_.pop();
  now_ = happening.time;
  if (happening.block < 0) {
    become_ready(happening.task);
  } else {
    Task& task = tasks_[happening.task.index()];
    BOHR_TRY_STATUS(run_block_(task.item, static_cast<uint32_t>(happening.block)));
    if (task.resident) ++places_;
    if (--task.blocks_left == 0) finish(happening.task);
  }
  make_resident();
  return Nothing{};
}

Status Device::run_to(int64_t time) {
  while (!happenings_.empty() && happenings_.top().time <= time) BOHR_TRY_STATUS(step());
  now_ = std::max(now_, time);
  return Nothing{};
}

// A task waits for tasks that were added before it alone, so each can end.
Status Device::run_until_done(TaskId task) {
  while (!done(task)) {
    BOHR_CHECK(!happenings_.empty());
    BOHR_TRY_STATUS(step());
  }
  return Nothing{};
}

Status Device::run_all() {
  while (!happenings_.empty()) BOHR_TRY_STATUS(step());
  return Nothing{};
}

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/concurrent.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gpu/sim/mix.h"

namespace bohr::gpu::sim {

namespace {

int64_t varied(int64_t ns, double jitter, uint64_t random) {
  const double factor = 1 + jitter * (2 * fraction(random) - 1);
  return std::max<int64_t>(1, std::llround(static_cast<double>(ns) * factor));
}

Item with(const Item& item, Part part) { return {item.op, item.node, part}; }

}  // namespace

ConcurrentRun::ConcurrentRun(const Tape& tape, Arena* arena, const Timing& timing, uint64_t seed,
                             MoreOrder more)
    : tape_(tape),
      timing_(timing),
      seed_(seed),
      executor_(tape, arena, seed),
      device_(
          timing.resident_blocks,
          [this](const Item& item, uint32_t block) { return cost(item, block); },
          [this](const Item& item, uint32_t block) { return executor_.run_block(item, block); }),
      more_(std::move(more)) {}

int64_t ConcurrentRun::transfer_cost(const Work& work) const {
  const double bytes = static_cast<double>(work.bytes);
  return timing_.transfer_ns + std::llround(bytes / timing_.transfer_bytes_per_ns);
}

// The early part of a programmatic kernel takes a quarter of the kernel's time.
int64_t ConcurrentRun::cost(const Item& item, uint32_t block) const {
  const Work& work = work_of(tape_, item);
  const uint64_t random =
      mix(seed_, {static_cast<uint64_t>(item.op), static_cast<uint64_t>(item.node),
                  static_cast<uint64_t>(item.part), block});
  switch (work.kind) {
    case WorkKind::kernel: {
      const auto named = timing_.kernels.find(work.launch.kernel.name);
      const KernelCost& kernel = named == timing_.kernels.end() ? timing_.kernel : named->second;
      const int64_t ns = item.part == Part::early  ? kernel.block_ns / 4
                         : item.part == Part::rest ? kernel.block_ns - kernel.block_ns / 4
                                                   : kernel.block_ns;
      return varied(ns, kernel.jitter, random);
    }
    case WorkKind::copy:
    case WorkKind::fill:
      return varied(transfer_cost(work), timing_.kernel.jitter, random);
    case WorkKind::host_function:
    case WorkKind::touch:
      return varied(timing_.host_function_ns, timing_.kernel.jitter, random);
  }
  return 1;
}

void ConcurrentRun::spend(int64_t ns) {
  constexpr uint64_t kHostCall = ~uint64_t{0};
  host_time_ += varied(ns, timing_.call_jitter, mix(seed_, {kHostCall, calls_++}));
}

ConcurrentRun::StreamState& ConcurrentRun::stream(Stream id) {
  if (streams_.size() <= id.index()) streams_.resize(id.index() + 1);
  return streams_[id.index()];
}

// The last tasks of all streams that the next op of this one comes after.
std::vector<TaskId> ConcurrentRun::stream_order(Stream id) {
  std::vector<TaskId> after = {stream(id).tail};
  const StreamKind kind = tape_.streams[id.index()].kind;
  if (kind == StreamKind::nonblocking) return after;
  for (size_t i = 0; i < streams_.size(); ++i) {
    const StreamKind other = tape_.streams[i].kind;
    if (i == id.index() || other == StreamKind::nonblocking) continue;
    if (kind == StreamKind::legacy || other == StreamKind::legacy)
      after.push_back(streams_[i].tail);
  }
  return after;
}

TaskId ConcurrentRun::add_order(std::vector<TaskId> after) {
  TaskSpec spec;
  spec.earliest = host_time_;
  spec.after = std::move(after);
  return device_.add(spec);
}

// An item as a task of the device, after all that it waits for.
TaskId ConcurrentRun::add_item(TaskSpec spec) {
  if (more_.empty()) return device_.add(spec);
  for (const Item& from : more_.before(spec.item)) spec.after.push_back(task_of_item_.at(from));
  return task_of_item_[spec.item] = device_.add(spec);
}

// `started`: the first task of the kernel that a programmatic one may overlap with; `spec.after`
// holds for a whole item, and for the rest of a programmatic kernel.
ConcurrentRun::Parts ConcurrentRun::add_items(const Item& item, const Work& work, int32_t priority,
                                              TaskSpec spec, TaskId started) {
  spec.priority = priority;
  spec.blocks = work.kind == WorkKind::kernel ? work.launch.blocks : 1;
  spec.resident = work.kind == WorkKind::kernel;
  spec.item = item;
  if (work.kind != WorkKind::kernel || !work.launch.programmatic) {
    if (work.source_in_call) spec.item.part = Part::destination;
    const TaskId task = add_item(spec);
    return {task, task};
  }
  TaskSpec early = spec;
  early.item.part = Part::early;
  if (started.valid()) {
    early.after.clear();
    early.after_start = {started};
  }
  const TaskId first = add_item(early);
  spec.item.part = Part::rest;
  spec.after.push_back(first);
  return {first, add_item(spec)};
}

void ConcurrentRun::move_tail(const TapeOp& op, TaskId task) {
  StreamState& state = stream(op.stream);
  state.tail = task;
  if (op.kind != OpKind::record) state.last_start = TaskId();
}

Status ConcurrentRun::wait_for(TaskId task) {
  BOHR_TRY_STATUS(device_.run_until_done(task));
  host_time_ = std::max(host_time_, device_.now());
  return device_.run_to(host_time_);
}

Status ConcurrentRun::run_on_host(const Item& item, int64_t ns) {
  if (!more_.empty()) {
    for (const Item& from : more_.before(item)) BOHR_TRY_STATUS(wait_for(task_of_item_.at(from)));
    task_of_item_[item] = TaskId();
  }
  const int64_t begin = host_time_;
  spend(ns);
  BOHR_TRY_STATUS(device_.run_to(host_time_));
  host_spans_.push_back({item, begin, host_time_});
  return executor_.run(item);
}

Status ConcurrentRun::issue_work(const TapeOp& op, int32_t index) {
  const Item item{index, -1, Part::whole};
  if (op.work.source_in_call)
    BOHR_TRY_STATUS(run_on_host(with(item, Part::source), transfer_cost(op.work)));
  TaskSpec spec;
  spec.earliest = host_time_ + timing_.launch_ns;
  spec.after = stream_order(op.stream);
  // The legacy stream's rules hold for the early part as well.
  const TaskId started = spec.after.size() == 1 ? stream(op.stream).last_start : TaskId();
  const int32_t priority = tape_.streams[op.stream.index()].priority;
  const Parts parts = add_items(item, op.work, priority, spec, started);
  move_tail(op, parts.last);
  if (op.work.kind == WorkKind::kernel) stream(op.stream).last_start = parts.first;
  return op.host_waits ? wait_for(parts.last) : Status(Nothing{});
}

// A launch begins and ends as a whole; between, its nodes follow their edges.
Status ConcurrentRun::issue_launch(const TapeOp& op, int32_t index) {
  const GraphVersion& graph = tape_.graphs[static_cast<size_t>(op.graph)];
  std::vector<TaskId> before = stream_order(op.stream);
  before.push_back(launches_[op.exec]);
  const TaskId begin = add_order(std::move(before));
  std::vector<TaskSpec> specs(graph.nodes.size());
  std::vector<int32_t> started(graph.nodes.size(), -1);
  std::vector<Parts> parts(graph.nodes.size());
  for (const GraphEdge& edge : graph.edges)
    if (edge.programmatic) started[static_cast<size_t>(edge.to)] = edge.from;
  std::vector<std::vector<int32_t>> in(graph.nodes.size());
  for (const GraphEdge& edge : graph.edges) in[static_cast<size_t>(edge.to)].push_back(edge.from);
  std::vector<TaskId> all = {begin};
  std::vector<int32_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  if (const std::vector<int32_t>* other = more_.nodes_of(index)) order = *other;
  for (const int32_t n : order) {
    const auto i = static_cast<size_t>(n);
    const Node& node = graph.nodes[i];
    specs[i].earliest = host_time_ + timing_.launch_ns;
    specs[i].after = {begin};
    for (const int32_t from : in[i])
      specs[i].after.push_back(parts[static_cast<size_t>(from)].last);
    const TaskId start = started[i] < 0 ? TaskId() : parts[static_cast<size_t>(started[i])].first;
    parts[i] = add_items({index, n, Part::whole}, node.work,
                         tape_.streams[node.stream.index()].priority, specs[i], start);
    all.push_back(parts[i].last);
  }
  const TaskId end = add_order(std::move(all));
  launches_[op.exec] = end;
  move_tail(op, end);
  return Nothing{};
}

Status ConcurrentRun::issue(int32_t index) {
  const TapeOp& op = tape_.ops[static_cast<size_t>(index)];
  spend(timing_.call_ns);
  BOHR_TRY_STATUS(device_.run_to(host_time_));
  if (task_of_op_.size() <= static_cast<size_t>(index))
    task_of_op_.resize(static_cast<size_t>(index) + 1);
  const TaskId bound = op.bound < 0 ? TaskId() : task_of_op_[static_cast<size_t>(op.bound)];
  switch (op.kind) {
    case OpKind::work:
      return issue_work(op, index);
    case OpKind::touch:
      return run_on_host({index, -1, Part::whole}, timing_.host_function_ns);
    case OpKind::launch:
      return issue_launch(op, index);
    case OpKind::record:
    case OpKind::wait: {
      std::vector<TaskId> after = stream_order(op.stream);
      after.push_back(bound);
      const TaskId task = add_order(std::move(after));
      task_of_op_[static_cast<size_t>(index)] = task;
      move_tail(op, task);
      return Nothing{};
    }
    case OpKind::sync_stream:
      return wait_for(stream(op.stream).tail);
    case OpKind::sync_event:
      return wait_for(bound);
    case OpKind::sync_device:
      for (const StreamState& state : streams_) BOHR_TRY_STATUS(wait_for(state.tail));
      return Nothing{};
    case OpKind::call:
      return Nothing{};
  }
  return Nothing{};
}

bool ConcurrentRun::stream_done(Stream id) const {
  return id.index() >= streams_.size() || device_.done(streams_[id.index()].tail);
}

bool ConcurrentRun::record_done(int32_t op) const {
  return op < 0 || device_.done(task_of_op_[static_cast<size_t>(op)]);
}

Status ConcurrentRun::finish() { return device_.run_all(); }

Result<std::vector<Span>> run_concurrent(const Tape& tape, const Timing& timing, uint64_t seed,
                                         Arena* arena) {
  arena->restore({});
  ConcurrentRun run(tape, arena, timing, seed);
  for (size_t i = 0; i < tape.ops.size(); ++i) BOHR_TRY_STATUS(run.issue(static_cast<int32_t>(i)));
  BOHR_TRY_STATUS(run.finish());
  std::vector<Span> spans = run.spans();
  spans.insert(spans.end(), run.host_spans().begin(), run.host_spans().end());
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.end < b.end; });
  return spans;
}

Result<int64_t> time_concurrent(const Tape& tape, const Timing& timing, uint64_t seed,
                                const MoreOrder& more, Arena* arena) {
  arena->restore({});
  ConcurrentRun run(tape, arena, timing, seed, more);
  for (size_t i = 0; i < tape.ops.size(); ++i) BOHR_TRY_STATUS(run.issue(static_cast<int32_t>(i)));
  BOHR_TRY_STATUS(run.finish());
  return std::max(run.host_time(), run.device_time());
}

}  // namespace bohr::gpu::sim

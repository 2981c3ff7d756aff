// SPDX-License-Identifier: Apache-2.0
// One function per rule of the case format.
#include "exhaustive/naive_order.h"

#include <optional>

#include "base/check.h"

namespace bohr::naive {

int32_t Relation::add_point() {
  rows_.emplace_back();
  return static_cast<int32_t>(rows_.size()) - 1;
}

void Relation::add_arrow(int32_t from, int32_t to) {
  BOHR_CHECK(from >= 0 && to >= 0);
  Row& row = rows_[static_cast<size_t>(from)];
  const auto word = static_cast<size_t>(to) / 64;
  if (row.size() <= word) row.resize(word + 1);
  row[word] |= uint64_t{1} << (to % 64);
}

void Relation::close() {
  const size_t words = rows_.size() / 64 + 1;
  for (Row& row : rows_) row.resize(words);
  for (size_t k = 0; k < rows_.size(); ++k) {
    for (Row& row : rows_) {
      if (!bit(row, static_cast<int32_t>(k))) continue;
      for (size_t word = 0; word < words; ++word) row[word] |= rows_[k][word];
    }
  }
}

bool is_stream_item(OpKind kind) {
  switch (kind) {
    case OpKind::kernel:
    case OpKind::copy:
    case OpKind::fill:
    case OpKind::callback:
    case OpKind::launch:
    case OpKind::record:
    case OpKind::wait:
    case OpKind::empty:
    case OpKind::child:
    case OpKind::unmodelled:
      return true;
    default:
      return false;
  }
}

namespace {

bool on_stream(const Op& op) { return op.stream.valid() && is_stream_item(op.kind); }

// The legacy stream synchronises with blocking and per-thread streams of its context, in both
// directions; not with non-blocking ones.
bool legacy_rule(const Program& program, StreamId a, StreamId b) {
  const Stream& one = program.streams[a.index()];
  const Stream& other = program.streams[b.index()];
  if (a == b || one.context != other.context) return false;
  const auto with_legacy = [](StreamKind kind) {
    return kind == StreamKind::blocking || kind == StreamKind::per_thread ||
           kind == StreamKind::legacy;
  };
  if (one.kind != StreamKind::legacy && other.kind != StreamKind::legacy) return false;
  return with_legacy(one.kind) && with_legacy(other.kind);
}

struct Builder {
  const Program& program;
  Order order;

  int32_t point() { return order.relation.add_point(); }
  void arrow(int32_t from, int32_t to) { order.relation.add_arrow(from, to); }

  void make_points();
  void host_threads();
  void streams();
  void stream_item(size_t i);
  std::optional<size_t> programmatic_predecessor(size_t i) const;
  void events_and_signals();
  void host_synchronisation();
  void launches_of_one_exec();
  void graph_edges();
  void observed_host_order();

  int32_t step_after(const Step& step, int32_t begin, int32_t end);
  void make_work(const Step& first, const Op& work, WorkPoints* points);
  bool is_thread(ActorId actor) const {
    return actor.valid() && program.actors[actor.index()].kind == ActorKind::thread;
  }
  // The last step of a kernel: what follows its grid-dependency wait.
  int32_t rest_of(OpId op, NodeId node) const;
};

int32_t Builder::step_after(const Step& step, int32_t begin, int32_t end) {
  const int32_t at = point();
  order.steps.push_back(step);
  order.step_point.push_back(at);
  arrow(begin, at);
  arrow(at, end);
  return at;
}

// Begin, then the one step or the early part and the rest, then end.
void Builder::make_work(const Step& first, const Op& work, WorkPoints* points) {
  points->begin = point();
  points->end = point();
  arrow(points->begin, points->end);
  if (!is_work(work.kind)) return;
  if (!work.programmatic) {
    step_after(first, points->begin, points->end);
    return;
  }
  const int32_t early = step_after({first.op, first.node, Part::early}, points->begin, points->end);
  const int32_t rest = step_after({first.op, first.node, Part::rest}, points->begin, points->end);
  arrow(early, rest);
}

// Issue before execution: a call is entered before its work begins. A copy from pageable memory
// reads its source inside the call, whatever its stream has to do before. A touch is done by the
// thread or agent itself.
void Builder::make_points() {
  order.op_work.resize(program.ops.size());
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    const OpId id(i);
    WorkPoints& work = order.op_work[i];
    const int32_t enter = point();
    const int32_t leave = point();
    order.enter.push_back(enter);
    order.leave.push_back(leave);
    arrow(enter, leave);
    if (op.kind == OpKind::touch) {
      step_after({id, NodeId(), Part::whole}, enter, leave);
    } else if (op.kind == OpKind::launch) {
      work = {point(), point()};
      arrow(enter, work.begin);
      arrow(work.begin, work.end);
      const Graph& graph = program.graphs[op.graph.index()];
      for (size_t n = 0; n < graph.nodes.size(); ++n) {
        WorkPoints& node = order.node_work[{id, NodeId(n)}];
        make_work({id, NodeId(n), Part::whole}, graph.nodes[n], &node);
        arrow(work.begin, node.begin);
        arrow(node.end, work.end);
      }
    } else if (op.kind == OpKind::copy && op.host_return == HostReturn::after_source_read) {
      const int32_t source = step_after({id, NodeId(), Part::source}, enter, leave);
      work = {point(), point()};
      arrow(work.begin, work.end);
      arrow(enter, work.begin);
      const int32_t destination =
          step_after({id, NodeId(), Part::destination}, work.begin, work.end);
      arrow(source, destination);
    } else if (on_stream(op)) {
      make_work({id, NodeId(), Part::whole}, op, &work);
      arrow(enter, work.begin);
    }
    if (op.host_return == HostReturn::after_completion) arrow(work.end, leave);
  }
}

int32_t Builder::rest_of(OpId op, NodeId node) const {
  for (size_t s = order.steps.size(); s-- > 0;) {
    if (order.steps[s].op == op && order.steps[s].node == node) return order.step_point[s];
  }
  BOHR_CHECK(false);
  return -1;
}

void Builder::host_threads() {
  std::map<ActorId, size_t> last;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const ActorId actor = program.ops[i].actor;
    if (!actor.valid()) continue;
    if (const auto before = last.find(actor); before != last.end()) {
      arrow(order.leave[before->second], order.enter[i]);
    }
    last[actor] = i;
  }
}

// Stream order and the legacy stream's rules, for the item at place i.
void Builder::stream_item(size_t i) {
  const Op& op = program.ops[i];
  const int32_t begin = order.op_work[i].begin;
  const std::optional<size_t> predecessor = programmatic_predecessor(i);
  if (predecessor) arrow(order.op_work[*predecessor].begin, begin);
  for (size_t j = 0; j < i; ++j) {
    const Op& earlier = program.ops[j];
    if (!on_stream(earlier)) continue;
    const int32_t end = order.op_work[j].end;
    if (legacy_rule(program, earlier.stream, op.stream)) arrow(end, begin);
    if (earlier.stream == op.stream) arrow(end, predecessor ? rest_of(OpId(i), NodeId()) : begin);
  }
}

// The kernel right before a programmatic kernel in its stream, records apart, which are no work. A
// wait or another kind of work between them, or none before at all, makes the order full.
std::optional<size_t> Builder::programmatic_predecessor(size_t i) const {
  const Op& op = program.ops[i];
  if (op.kind != OpKind::kernel || !op.programmatic) return std::nullopt;
  for (size_t j = i; j-- > 0;) {
    const Op& earlier = program.ops[j];
    const bool between = on_stream(earlier) && earlier.stream == op.stream;
    if (!between || earlier.kind == OpKind::record) continue;
    if (earlier.kind == OpKind::kernel) return j;
    return std::nullopt;
  }
  return std::nullopt;
}

void Builder::streams() {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    if (on_stream(program.ops[i])) stream_item(i);
  }
}

void Builder::events_and_signals() {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (!op.bound.valid()) continue;
    const size_t bound = op.bound.index();
    if (op.kind == OpKind::wait) arrow(order.op_work[bound].end, order.op_work[i].begin);
    if (op.kind == OpKind::sync_event) arrow(order.op_work[bound].end, order.leave[i]);
    if (op.kind == OpKind::await) arrow(order.leave[bound], order.leave[i]);
  }
}

// `sync STREAM` joins what that stream was given on earlier lines, `sync device` all streams.
void Builder::host_synchronisation() {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.kind != OpKind::sync_stream && op.kind != OpKind::sync_device) continue;
    for (size_t j = 0; j < i; ++j) {
      if (!on_stream(program.ops[j])) continue;
      const bool covered = op.kind == OpKind::sync_device || program.ops[j].stream == op.target;
      if (covered) arrow(order.op_work[j].end, order.leave[i]);
    }
  }
}

void Builder::launches_of_one_exec() {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Op& later = program.ops[i];
      const Op& earlier = program.ops[j];
      if (later.kind != OpKind::launch || earlier.kind != OpKind::launch) continue;
      if (later.exec == earlier.exec) arrow(order.op_work[j].end, order.op_work[i].begin);
    }
  }
}

void Builder::graph_edges() {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    if (program.ops[i].kind != OpKind::launch) continue;
    const OpId launch(i);
    for (const Edge& edge : program.graphs[program.ops[i].graph.index()].edges) {
      const WorkPoints& from = order.node_work.at({launch, edge.from});
      const WorkPoints& to = order.node_work.at({launch, edge.to});
      if (edge.kind == EdgeKind::full) {
        arrow(from.end, to.begin);
      } else {
        arrow(from.begin, to.begin);
      }
      if (edge.kind == EdgeKind::programmatic) arrow(from.end, rest_of(launch, edge.to));
    }
  }
}

// Assumption host-order-observed, for recorded programs: a call that returned before another
// thread's was entered is ordered before it.
void Builder::observed_host_order() {
  if (!program.recorded) return;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    for (size_t j = 0; j < program.ops.size(); ++j) {
      const Op& earlier = program.ops[i];
      const Op& later = program.ops[j];
      if (!is_thread(earlier.actor) || !is_thread(later.actor)) continue;
      if (earlier.exit < later.enter) arrow(order.leave[i], order.enter[j]);
    }
  }
}

}  // namespace

Order happens_before(const Program& program) {
  Builder builder{program, {}};
  builder.make_points();
  builder.host_threads();
  builder.streams();
  builder.events_and_signals();
  builder.host_synchronisation();
  builder.launches_of_one_exec();
  builder.graph_edges();
  builder.observed_host_order();
  builder.order.relation.close();
  return std::move(builder.order);
}

std::vector<int32_t> predecessors_at(const Program& program, const Order& order, StreamId stream,
                                     ActorId thread, size_t place) {
  std::vector<int32_t> points;
  for (size_t i = 0; i < place; ++i) {
    const Op& op = program.ops[i];
    if (thread.valid() && op.actor == thread) points.push_back(order.leave[i]);
    if (!on_stream(op)) continue;
    if (op.stream == stream || legacy_rule(program, op.stream, stream)) {
      points.push_back(order.op_work[i].end);
    }
  }
  return points;
}

}  // namespace bohr::naive

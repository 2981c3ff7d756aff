// SPDX-License-Identifier: Apache-2.0
// Memory first, since that looks at places; then edges of graphs; then ops, all at once, because
// each op that is put in moves those behind it.
#include "fix/apply.h"

#include <algorithm>
#include <set>

#include "fix/edit_ops.h"
#include "fix/halves.h"

namespace bohr::fix {

namespace {

constexpr uint64_t kPageOfOwn = uint64_t{2} << 20;  // addresses of our own begin at multiples

bool overlap(const Lifetime& a, const Lifetime& b) {
  for (const Piece& x : a.pieces)
    for (const Piece& y : b.pieces)
      if (x.range.overlaps(y.range)) return true;
  return false;
}

// Where a point stands in issue order: a capture stands between the ops around its begin.
std::pair<int64_t, int32_t> place_of(const Program& program, const Point& point) {
  if (!point.known()) return {-1, 0};
  if (!point.graph.valid()) return {2 * int64_t{point.index}, 0};
  return {2 * int64_t{program.graphs[point.graph.index()].begin.index} - 1, point.index};
}

// Nodes that nothing comes after.
std::vector<NodeId> sinks_of(const Graph& graph) {
  std::vector<bool> followed(graph.nodes.size(), false);
  for (const Edge& edge : graph.edges)
    if (edge.kind == EdgeKind::full) followed[edge.from.index()] = true;
  std::vector<NodeId> sinks;
  for (size_t i = 0; i < followed.size(); ++i)
    if (!followed[i]) sinks.emplace_back(i);
  return sinks;
}

// Gives lifetimes addresses that nothing else has.
class Mover {
 public:
  explicit Mover(Program* program) : program_(*program), halves_(program) {
    for (const Lifetime& lifetime : program_.lifetimes)
      for (const Piece& piece : lifetime.pieces) next_ = std::max(next_, piece.range.end);
  }

  void move(LifetimeId id) {
    Lifetime& lifetime = program_.lifetimes[id.index()];
    const uint64_t base = (next_ + kPageOfOwn) / kPageOfOwn * kPageOfOwn;
    next_ = base + lifetime.bytes;
    lifetime.pieces = {{{base, base + lifetime.bytes}, 0}};
    move_accesses(id, base, &program_.accesses);
    for (Graph& graph : program_.graphs) move_accesses(id, base, &graph.accesses);
  }

  // Another block for some of the accesses, which nobody frees and no output is.
  void split(const RepairPart& part) {
    const Lifetime& whole = program_.lifetimes[part.lifetime.index()];
    Lifetime own;
    own.name = whole.name + " of its own";
    own.bytes = whole.bytes, own.memory = whole.memory, own.owner = whole.owner;
    own.scratch = true;
    const LifetimeId id(program_.lifetimes.size());
    for (const AccessRef& ref : part.accesses) halves_.find(ref)->lifetime = id;
    program_.lifetimes.push_back(std::move(own));
    move(id);
  }

 private:
  static void move_accesses(LifetimeId id, uint64_t base, std::vector<Access>* accesses) {
    for (Access& access : *accesses) {
      if (access.lifetime != id) continue;
      const uint64_t size = access.range.size();
      if (access.address != 0) access.address += base + access.offset - access.range.begin;
      access.range = {base + access.offset, base + access.offset + size};
    }
  }

  Program& program_;
  Halves halves_;
  uint64_t next_ = 0;
};

class Applier {
 public:
  explicit Applier(Program* program) : program_(*program) {}

  Status run(std::span<const RepairPart> parts, std::vector<int32_t>* places) {
    give_memory(parts);
    for (const RepairPart& part : parts) {
      if (part.kind == RepairKind::lifetime) hold(part);
      if (part.kind == RepairKind::edge) BOHR_TRY_STATUS(add_edge(part));
    }
    const Moved moved = edit_ops(&program_, edits_);
    for (const auto& [lifetime, number] : frees_)
      program_.lifetimes[lifetime.index()].free = {GraphId(), moved.new_place[number]};
    if (places != nullptr) *places = moved.place;
    return Nothing{};
  }

 private:
  void give_memory(std::span<const RepairPart> parts) {
    std::set<LifetimeId> moved;
    for (const RepairPart& part : parts) {
      if (part.kind == RepairKind::separate && part.accesses.empty()) moved.insert(part.lifetime);
      if (part.kind != RepairKind::lifetime) continue;
      for (const LifetimeId id : moved_by(program_, part)) moved.insert(id);
    }
    Mover mover(&program_);
    for (const LifetimeId id : moved) mover.move(id);
    for (const RepairPart& part : parts)
      if (!part.accesses.empty()) mover.split(part);
  }

  void hold(const RepairPart& part) {
    Lifetime& lifetime = program_.lifetimes[part.lifetime.index()];
    const Point old = lifetime.free;
    lifetime.free = part.until;
    // What nobody gives back is no output for that.
    if (!part.until.known()) lifetime.scratch = !lifetime.live;
    if (old.known() && old.graph.valid()) hold_in_graph(part, old.graph);
    if (old.known() && !old.graph.valid()) hold_outside(part, old.index);
  }

  void hold_in_graph(const RepairPart& part, GraphId id) {
    Graph& graph = program_.graphs[id.index()];
    const auto mine = [&](const Mark& mark) {
      return mark.kind == MarkKind::free && mark.lifetime == part.lifetime;
    };
    std::erase_if(graph.marks, mine);
    if (!part.until.known()) return;
    // The owner's next node runs after all that this node runs after.
    const NodeId next(part.until.index);
    Mark mark{MarkKind::free, part.lifetime, next, {}};
    if (next.index() == graph.nodes.size())
      mark.frontier = sinks_of(graph);
    else
      for (const Edge& edge : graph.edges)
        if (edge.to == next && edge.kind == EdgeKind::full) mark.frontier.push_back(edge.from);
    const auto behind = std::find_if(graph.marks.begin(), graph.marks.end(),
                                     [&](const Mark& other) { return other.before > next; });
    graph.marks.insert(behind, mark);
  }

  void hold_outside(const RepairPart& part, int32_t old) {
    edits_.removed.insert(old);
    if (!part.until.known()) return;
    const Op& was = program_.ops[static_cast<size_t>(old)];
    Op op = beside(part.until.index, OpKind::free);
    op.stream = was.stream;
    op.lifetime = part.lifetime;
    frees_.push_back({part.lifetime, put_in(part.until.index, op)});
  }

  // --- edges ---

  Status add_edge(const RepairPart& part) {
    if (part.graph.valid()) {
      program_.graphs[part.graph.index()].edges.push_back(
          {NodeId(part.from), NodeId(part.to), EdgeKind::full});
      return Nothing{};
    }
    if (part.from >= part.to) {
      return Error{"fix-no-edge", part.second, "",
                   "it is issued before " + part.first + ", so it cannot be made to wait for it",
                   "issue them the other way round, or give them separate memory"};
    }
    const Op& from = program_.ops[static_cast<size_t>(part.from)];
    const Op& to = program_.ops[static_cast<size_t>(part.to)];
    if (from.stream.valid())
      after_stream(part, from, to);
    else
      after_actor(part, from, to);
    return Nothing{};
  }

  void after_stream(const RepairPart& part, const Op& from, const Op& to) {
    Op record = beside(part.from, OpKind::record);
    record.stream = from.stream;
    const size_t recorded = put_in(part.from + 1, record);
    if (to.stream.valid()) {
      Op wait = beside(part.to, OpKind::wait);
      wait.stream = to.stream;
      wait.bound = new_op(recorded);
      put_in(part.to, wait);
      return;
    }
    Op sync = beside(part.to, OpKind::sync_event);
    sync.stream = StreamId();
    sync.bound = new_op(recorded);
    if (program_.actors[to.actor.index()].kind == ActorKind::thread) {
      put_in(part.to, sync);
      return;
    }
    // An agent knows nothing of streams: the thread that issued the work tells it.
    sync.actor = from.actor;
    put_in(part.to, sync);
    signal(from.actor, to.actor, part.to, part.to);
  }

  void after_actor(const RepairPart& part, const Op& from, const Op& to) {
    signal(from.actor, to.actor, part.from + 1, part.to);
  }

  void signal(ActorId from, ActorId to, int32_t signalled, int32_t awaited) {
    Op sign = beside(signalled - 1, OpKind::signal);
    sign.actor = from;
    sign.stream = StreamId();
    const size_t number = put_in(signalled, sign);
    Op await = beside(awaited, OpKind::await);
    await.actor = to;
    await.stream = StreamId();
    await.bound = new_op(number);
    put_in(awaited, await);
  }

  // An op of this kind in the place of an old one, with its thread and time.
  Op beside(int32_t place, OpKind kind) const {
    const auto at = std::clamp<size_t>(static_cast<size_t>(std::max(place, 0)), 0,
                                       program_.ops.empty() ? 0 : program_.ops.size() - 1);
    Op op;
    op.kind = kind;
    if (program_.ops.empty()) return op;
    const Op& old = program_.ops[at];
    op.actor = old.actor;
    op.enter = old.enter, op.exit = old.exit;
    op.hidden = true;
    return op;
  }

  size_t put_in(int32_t before, const Op& op) {
    edits_.added.push_back({before, op});
    return edits_.added.size() - 1;
  }

  Program& program_;
  Edits edits_;
  std::vector<std::pair<LifetimeId, size_t>> frees_;  // new ops
};

}  // namespace

std::vector<LifetimeId> moved_by(const Program& program, const RepairPart& part) {
  const Lifetime& held = program.lifetimes[part.lifetime.index()];
  std::vector<LifetimeId> moved;
  for (size_t i = 0; i < program.lifetimes.size(); ++i) {
    const Lifetime& other = program.lifetimes[i];
    if (LifetimeId(i) == part.lifetime || other.buffer || !overlap(held, other)) continue;
    const auto born = place_of(program, other.alloc);
    const bool earlier = born < place_of(program, held.free);
    const bool later = part.until.known() && born >= place_of(program, part.until);
    if (!earlier && !later) moved.push_back(LifetimeId(i));
  }
  return moved;
}

Result<Program> with_repairs(Program program, std::span<const RepairPart> parts,
                             std::vector<int32_t>* places) {
  BOHR_TRY_STATUS(Applier(&program).run(parts, places));
  return program;
}

}  // namespace bohr::fix

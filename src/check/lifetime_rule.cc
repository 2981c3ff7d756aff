// SPDX-License-Identifier: Apache-2.0
// Lifetimes are taken youngest first, so that the bytes handed out later are known at each.
#include "check/lifetime_rule.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/byte_set.h"
#include "check/decide.h"

namespace bohr::check {

namespace {

class LifetimeRule {
 public:
  LifetimeRule(const Program& program, const Arenas& arenas, const Facts& facts, const Uses& uses)
      : program_(program), arenas_(arenas), facts_(facts), uses_(uses) {
    launches_.resize(program.graphs.size());
    for (const LaunchSet& set : arenas.launch_sets)
      for (const Entry& launch : set.launches) launches_[set.graph.index()].push_back(launch.op);
    for (std::vector<int32_t>& ops : launches_) std::sort(ops.begin(), ops.end());
    free_marks_.resize(program.lifetimes.size(), nullptr);
    for (const Graph& graph : program.graphs)
      for (const Mark& mark : graph.marks)
        if (mark.kind == MarkKind::free) free_marks_[mark.lifetime.index()] = &mark;
  }

  std::vector<LifetimeHazard> run() {
    std::vector<int32_t> order(program_.lifetimes.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return facts_.born[static_cast<size_t>(a)] > facts_.born[static_cast<size_t>(b)];
    });
    for (const int32_t id : order) {
      judge(LifetimeId(id));
      for (const Piece& piece : program_.lifetimes[static_cast<size_t>(id)].pieces)
        reused_.add(piece.range);
    }
    std::sort(found_.begin(), found_.end(), [](const LifetimeHazard& a, const LifetimeHazard& b) {
      return std::tuple(a.use.graph, a.use.index, a.lifetime, a.access) <
             std::tuple(b.use.graph, b.use.index, b.lifetime, b.access);
    });
    return std::move(found_);
  }

 private:
  void judge(LifetimeId id) {
    const Lifetime& lifetime = program_.lifetimes[id.index()];
    if (!lifetime.free.known() || lifetime.buffer) return;
    if (lifetime.free.graph.valid()) {
      judge_in_graph(id, lifetime);
      return;
    }
    // In a recorded program a block born in a capture and freed after it goes back to a pool of
    // captured graphs: what may reuse it is another capture, not the owner stream's next op.
    if (program_.recorded && lifetime.alloc.graph.valid() && !lifetime.stream_ordered) return;
    for (const Use& use : uses_.of(id)) judge_outside(id, lifetime, use);
  }

  void judge_outside(LifetimeId id, const Lifetime& lifetime, const Use& use) {
    const int32_t free = lifetime.free.index;
    if (!stream_work(op_at(program_, use.place))) return;
    if (!use.place.graph.valid()) {
      if (use.place.index < free && !covered(lifetime, use_step(use))) report(id, use, {});
      return;
    }
    for (const int32_t launch : launches_[use.place.graph.index()]) {
      if (launch >= free) break;
      if (covered(lifetime, arenas_.order.step[static_cast<size_t>(launch)])) continue;
      report(id, use, OpId(launch));
      break;
    }
  }

  int32_t use_step(const Use& use) const {
    return arenas_.order.step[static_cast<size_t>(use.place.index)];
  }

  // Whether a step is ordered before the owner's hypothetical next op.
  bool covered(const Lifetime& lifetime, int32_t step) const {
    const order::Clocks& clocks = arenas_.order.clocks;
    if (clocks.before(step, arenas_.order.step[static_cast<size_t>(lifetime.free.index)]))
      return true;
    return std::any_of(lifetime.use_records.begin(), lifetime.use_records.end(), [&](OpId record) {
      return clocks.before(step, arenas_.order.step[record.index()]);
    });
  }

  void judge_in_graph(LifetimeId id, const Lifetime& lifetime) {
    const Mark* mark = free_marks_[id.index()];
    if (!mark) return;
    const order::GraphOrder& order = arenas_.graphs[lifetime.free.graph.index()].order;
    for (const Use& use : uses_.of(id)) {
      if (use.place.graph != lifetime.free.graph || use.place.index >= mark->before.value())
        continue;
      const NodeId node(use.place.index);
      const bool before =
          std::any_of(mark->frontier.begin(), mark->frontier.end(),
                      [&](NodeId last) { return last == node || order.before(node, last); });
      if (!before) report(id, use, {});
    }
  }

  void report(LifetimeId id, const Use& use, OpId launch) {
    if (any_reused(id, use.place)) return;
    const Access& access = access_at(program_, use.place, use.access);
    Place place = use.place;
    place.launch = launch;
    const auto [it, added] =
        reported_.emplace(std::tuple(id, place.graph, place.index), found_.size());
    if (added) found_.push_back({id, place, use.access, 0});
    found_[it->second].kinds |= kinds_of(access.mode, AccessMode::write);
  }

  // Whether a later lifetime has some of the block's bytes that this op or node uses.
  bool any_reused(LifetimeId id, const Place& place) const {
    const Op& op = op_at(program_, place);
    for (uint32_t a = op.access_begin; a < op.access_begin + op.access_count; ++a) {
      const Access& access = access_at(program_, place, static_cast<int32_t>(a));
      if (access.lifetime == id && reused_.meets(access.range)) return true;
    }
    return false;
  }

  const Program& program_;
  const Arenas& arenas_;
  const Facts& facts_;
  const Uses& uses_;
  std::vector<std::vector<int32_t>> launches_;  // ops that launch a graph
  std::vector<const Mark*> free_marks_;         // by lifetime
  ByteSet reused_;
  std::map<std::tuple<LifetimeId, GraphId, int32_t>, size_t> reported_;  // indices of found_
  std::vector<LifetimeHazard> found_;
};

}  // namespace

std::vector<LifetimeHazard> lifetime_hazards(const Program& program, const Arenas& arenas,
                                             const Facts& facts, const Uses& uses) {
  return LifetimeRule(program, arenas, facts, uses).run();
}

}  // namespace bohr::check

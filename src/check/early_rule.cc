// SPDX-License-Identifier: Apache-2.0
// A launch is one unit to what is outside its graph. Of a graph that is launched again and again
// only the launches behind the allocation count, and the first that is unordered is told.
#include "check/early_rule.h"

#include <algorithm>

namespace bohr::check {

namespace {

class EarlyRule {
 public:
  EarlyRule(const Program& program, const Arenas& arenas, const Uses& uses)
      : program_(program), arenas_(arenas), uses_(uses), launches_(program.graphs.size()) {
    for (size_t i = 0; i < program.ops.size(); ++i)
      if (program.ops[i].kind == OpKind::launch && program.ops[i].graph.valid())
        launches_[program.ops[i].graph.index()].push_back(static_cast<int32_t>(i));
  }

  std::vector<EarlyUse> run() {
    for (size_t i = 0; i < program_.lifetimes.size(); ++i) {
      const Lifetime& lifetime = program_.lifetimes[i];
      if (lifetime.stream_ordered && lifetime.made.valid()) made_outside(LifetimeId(i), lifetime);
    }
    for (size_t g = 0; g < program_.graphs.size(); ++g)
      for (const Mark& mark : program_.graphs[g].marks)
        if (mark.kind == MarkKind::alloc && mark.frontier.size() == 1 &&
            program_.lifetimes[mark.lifetime.index()].stream_ordered)
          made_by_node(GraphId(g), mark);
    return std::move(found_);
  }

 private:
  void made_outside(LifetimeId id, const Lifetime& lifetime) {
    const Place made{{}, lifetime.made.value(), {}};
    for (const Use& use : uses_.of(id)) judge(made, made.index, use);
  }

  void made_by_node(GraphId graph, const Mark& mark) {
    const NodeId node = mark.frontier.front();
    const order::GraphOrder& order = arenas_.graphs[graph.index()].order;
    for (const Use& use : uses_.of(mark.lifetime)) {
      if (use.place.graph == graph) {
        if (stream_work(op_at(program_, use.place)) && !order.before(node, NodeId(use.place.index)))
          report({graph, node.value(), {}}, use, {});
      } else if (const int32_t launch = last_launch(graph, use); launch >= 0) {
        judge({graph, node.value(), OpId(launch)}, launch, use);
      }
    }
  }

  // Of the graph that allocates, before a use outside of it is first issued; -1 without one.
  int32_t last_launch(GraphId graph, const Use& use) const {
    int32_t issued = use.place.index;
    if (use.place.graph.valid()) {
      const std::vector<int32_t>& own = launches_[use.place.graph.index()];
      if (own.empty()) return -1;
      issued = own.front();
    }
    const std::vector<int32_t>& list = launches_[graph.index()];
    const auto next = std::lower_bound(list.begin(), list.end(), issued);
    return next == list.begin() ? -1 : *std::prev(next);
  }

  // `behind`: the op outside graphs that the use, or its launch, has to be ordered behind.
  void judge(const Place& made, int32_t behind, const Use& use) {
    if (!stream_work(op_at(program_, use.place))) return;
    if (!use.place.graph.valid()) {
      if (!before(behind, use.place.index)) report(made, use, {});
      return;
    }
    for (const int32_t launch : launches_[use.place.graph.index()]) {
      if (launch < behind || before(behind, launch)) continue;
      report(made, use, OpId(launch));
      return;
    }
  }

  bool before(int32_t first, int32_t second) const {
    const std::vector<int32_t>& step = arenas_.order.step;
    return arenas_.order.clocks.before(step[static_cast<size_t>(first)],
                                       step[static_cast<size_t>(second)]);
  }

  // The uses of one op stand one behind the other.
  void report(const Place& made, const Use& use, OpId launch) {
    Place place = use.place;
    place.launch = launch;
    if (!found_.empty() && found_.back().made == made && found_.back().use == place) return;
    found_.push_back({made, place, use.access});
  }

  const Program& program_;
  const Arenas& arenas_;
  const Uses& uses_;
  std::vector<std::vector<int32_t>> launches_;  // by graph
  std::vector<EarlyUse> found_;
};

}  // namespace

std::vector<EarlyUse> early_uses(const Program& program, const Arenas& arenas, const Uses& uses) {
  return EarlyRule(program, arenas, uses).run();
}

}  // namespace bohr::check

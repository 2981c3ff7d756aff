// SPDX-License-Identifier: Apache-2.0
#include "fix/setting.h"

#include <algorithm>
#include <set>

#include "explore/right_order.h"

namespace bohr::fix {

namespace {

constexpr int64_t kTrials = 10000;

}  // namespace

Result<Setting> setting_of(const Program& program, const Verdict& verdict,
                           const check::Options& check, ShownOrders shown) {
  BOHR_TRY(ops, order::program_order(program, check.strict_threads));
  std::vector<order::GraphOrder> graphs;
  for (const Graph& graph : program.graphs) {
    BOHR_TRY(order, order::graph_order(graph));
    graphs.push_back(std::move(order));
  }
  BOHR_TRY(steps, order::step_order(program, check.strict_threads));
  BOHR_TRY(uses, explore::Footprints::of(program, steps));
  std::vector<explore::Intent> intents = explore::intents(program, steps, uses);
  const explore::RightOrder right = explore::right_order(steps, uses, intents, kTrials);
  std::vector<int32_t> place;
  // An access of unknown direction counts as an update, so what reads are meant to see is not known
  // either; then issue order, which explorations begin with, is the best guess.
  const bool known = !program.recorded || (uses.all_known() && shown.empty());
  if (right.schedule && known) {
    place.resize(steps.size());
    for (size_t i = 0; i < right.schedule->size(); ++i)
      place[static_cast<size_t>((*right.schedule)[i])] = static_cast<int32_t>(i);
  }
  return Setting{program,           verdict,          check,           std::move(ops),
                 std::move(graphs), std::move(steps), std::move(uses), std::move(intents),
                 std::move(place),  std::move(shown)};
}

ShownOrders shown_orders(const Program& program, std::span<const Witness> witnesses) {
  ShownOrders shown;
  for (const Witness& witness : witnesses) {
    const std::vector<Step>& steps = witness.right;
    const bool one = !steps.empty() && steps[0].node.valid() &&
                     std::all_of(steps.begin(), steps.end(),
                                 [&](const Step& step) { return step.op == steps[0].op; });
    if (!one || !witness.right_is_baseline) continue;
    const GraphId graph = program.ops[steps[0].op.index()].graph;
    std::vector<int32_t> place(program.graphs[graph.index()].nodes.size());
    for (size_t i = 0; i < steps.size(); ++i)
      place[steps[i].node.index()] = static_cast<int32_t>(i);
    shown.try_emplace(graph, std::move(place));
  }
  return shown;
}

namespace {

bool accesses(std::span<const Access> list, LifetimeId block) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Access& access) { return access.lifetime == block; });
}

}  // namespace

std::vector<UseOf> uses_of(const Setting& setting, LifetimeId block) {
  const Program& program = setting.program;
  std::vector<UseOf> uses;
  std::set<GraphId> in_graphs;
  for (size_t g = 0; g < program.graphs.size(); ++g) {
    const Graph& graph = program.graphs[g];
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (!accesses(accesses_of(graph, graph.nodes[n]), block)) continue;
      uses.push_back({GraphId(g), NodeId(n), OpId()});
      in_graphs.insert(GraphId(g));
    }
  }
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    const bool launches = op.kind == OpKind::launch && in_graphs.contains(op.graph);
    if (launches || accesses(accesses_of(program, op), block))
      uses.push_back({GraphId(), NodeId(), OpId(i)});
  }
  return uses;
}

bool done_before(const Setting& setting, const UseOf& use, const Point& point) {
  if (point.graph.valid())
    return use.graph != point.graph ||
           setting.graphs[point.graph.index()].before(use.node, NodeId(point.index));
  return use.graph.valid() || use.op.value() >= point.index ||
         setting.ops.before(use.op, OpId(point.index));
}

}  // namespace bohr::fix

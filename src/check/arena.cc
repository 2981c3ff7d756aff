// SPDX-License-Identifier: Apache-2.0
// Places every access at its step.
#include "check/arena.h"

#include <map>

namespace bohr::check {

namespace {

// The step at which an access of op `index` happens.
int32_t step_of(const Program& program, const order::ProgramOrder& order, size_t index,
                const Access& access) {
  const auto key = static_cast<int32_t>(index);
  if (access.early) {
    const auto early = order.early_step.find(key);
    if (early != order.early_step.end()) return early->second;
  }
  if (program.ops[index].kind == OpKind::copy && access.mode == AccessMode::read) {
    const auto source = order.source_step.find(key);
    if (source != order.source_step.end()) return source->second;
  }
  return order.step[index];
}

// The op's step, its early part and its source read, each in the list of its chain.
void add_active(const order::ProgramOrder& order, size_t index, Arenas* arenas) {
  const auto add = [&](int32_t step, int32_t early) {
    const int32_t chain = order.clocks.chain(step);
    if (chain >= 0)
      arenas->active[static_cast<size_t>(chain + early)].push_back(
          {step, static_cast<int32_t>(index), 0});
  };
  const auto key = static_cast<int32_t>(index);
  add(order.step[index], 0);
  if (const auto early = order.early_step.find(key); early != order.early_step.end())
    add(early->second, order.chains);
  if (const auto source = order.source_step.find(key); source != order.source_step.end())
    add(source->second, 0);
}

void place_ops(const Program& program, Arenas* arenas) {
  const order::ProgramOrder& order = arenas->order;
  std::vector<Placed> placed;
  placed.reserve(program.accesses.size());
  arenas->active.resize(2 * static_cast<size_t>(order.chains));
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    for (uint32_t a = op.access_begin; a < op.access_begin + op.access_count; ++a) {
      const Access& access = program.accesses[a];
      if (access.range.empty()) continue;
      const int32_t step = step_of(program, order, i, access);
      const Entry entry{step, static_cast<int32_t>(i), static_cast<int32_t>(a)};
      const bool early = access.early && step != order.step[i];
      placed.push_back({entry, access.range, early, effect_of(access.mode)});
    }
    if (op.access_count > 0) add_active(order, i, arenas);
  }
  arenas->groups = make_groups(placed, order.clocks);
}

void place_nodes(const Graph& graph, GraphArena* arena) {
  // By step, not by issue: positions must grow along a chain.
  std::vector<int32_t> by_step(arena->order.clocks.size(), -1);
  for (size_t node = 0; node < graph.nodes.size(); ++node)
    by_step[static_cast<size_t>(arena->order.step[node])] = static_cast<int32_t>(node);
  std::vector<Placed> placed;
  placed.reserve(graph.accesses.size());
  for (const int32_t node : by_step) {
    if (node < 0) continue;
    const auto i = static_cast<size_t>(node);
    const Op& op = graph.nodes[i];
    for (uint32_t a = op.access_begin; a < op.access_begin + op.access_count; ++a) {
      const Access& access = graph.accesses[a];
      if (access.range.empty()) continue;
      const bool early = access.early && arena->order.early_step[i] != arena->order.step[i];
      const int32_t step = early ? arena->order.early_step[i] : arena->order.step[i];
      placed.push_back(
          {{step, node, static_cast<int32_t>(a)}, access.range, early, effect_of(access.mode)});
    }
  }
  arena->groups = make_groups(placed, arena->order.clocks);
}

void collect_launches(const Program& program, Arenas* arenas) {
  arenas->launch_number.assign(program.ops.size(), 0);
  std::vector<int32_t> count(static_cast<size_t>(program.exec_count), 0);
  std::map<std::pair<int32_t, int32_t>, size_t> sets;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.kind != OpKind::launch || !op.exec.valid() || !op.graph.valid()) continue;
    arenas->launch_number[i] = ++count[op.exec.index()];
    const auto [it, added] =
        sets.emplace(std::pair(op.exec.value(), op.graph.value()), arenas->launch_sets.size());
    if (added) arenas->launch_sets.push_back({op.exec, op.graph, {}});
    arenas->launch_sets[it->second].launches.push_back(
        {arenas->order.step[i], static_cast<int32_t>(i), 0});
  }
}

}  // namespace

Result<Arenas> make_arenas(const Program& program, bool strict_threads) {
  BOHR_TRY(order, order::program_order(program, strict_threads));
  Arenas arenas;
  arenas.order = std::move(order);
  place_ops(program, &arenas);
  for (const Graph& graph : program.graphs) {
    BOHR_TRY(nodes, order::graph_order(graph));
    GraphArena arena;
    arena.order = std::move(nodes);
    place_nodes(graph, &arena);
    arenas.graphs.push_back(std::move(arena));
  }
  collect_launches(program, &arenas);
  return arenas;
}

}  // namespace bohr::check

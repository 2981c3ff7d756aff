// SPDX-License-Identifier: Apache-2.0
#include "model/one_launch.h"

#include <set>
#include <utility>

namespace bohr {

namespace {

using Kept = std::set<GraphId>;

// Keeps what happened to a block within the graphs, and forgets what happened elsewhere.
void cut_to_graphs(const Kept& graphs, Point* point) {
  if (point->known() && !graphs.contains(point->graph)) *point = {};
}

std::vector<bool> touched_in(const Program& program, const Kept& graphs) {
  std::vector<bool> touched(program.lifetimes.size(), false);
  for (const GraphId graph : graphs)
    for (const Access& access : program.graphs[graph.index()].accesses)
      touched[access.lifetime.index()] = true;
  return touched;
}

}  // namespace

Program some_launches(Program program, const std::vector<OpId>& launches) {
  Kept graphs;
  std::vector<Op> ops(program.ops.size());
  for (Op& op : ops) op.kind = OpKind::record;  // on no stream: neither a step nor an order
  for (const OpId launch : launches) {
    Op& kept = ops[launch.index()] = program.ops[launch.index()];
    kept.access_begin = kept.access_count = 0;
    kept.bound = OpId();
    graphs.insert(kept.graph);
  }
  program.ops = std::move(ops);
  program.accesses.clear();
  const std::vector<bool> touched = touched_in(program, graphs);
  for (size_t i = 0; i < program.lifetimes.size(); ++i) {
    Lifetime& lifetime = program.lifetimes[i];
    lifetime.use_records.clear();
    cut_to_graphs(graphs, &lifetime.alloc);
    cut_to_graphs(graphs, &lifetime.free);
    if (!touched[i]) lifetime.scratch = true, lifetime.live = false;
  }
  return program;
}

Program one_launch(Program program, OpId launch) {
  return some_launches(std::move(program), {launch});
}

OpId last_launch(const Program& program, uint32_t recorded_exec) {
  for (size_t i = program.ops.size(); i > 0; --i) {
    const Op& op = program.ops[i - 1];
    if (op.kind == OpKind::launch && op.exec.valid() &&
        op.exec.index() < program.recorded_execs.size() &&
        program.recorded_execs[op.exec.index()] == recorded_exec)
      return OpId(i - 1);
  }
  return OpId();
}

}  // namespace bohr

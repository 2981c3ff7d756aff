// SPDX-License-Identifier: Apache-2.0
#include "model/one_launch.h"

namespace bohr {

namespace {

// Keeps what happened to a block within the graph, and forgets what happened elsewhere.
void cut_to_graph(GraphId graph, Point* point) {
  if (point->known() && point->graph != graph) *point = {};
}

}  // namespace

Program one_launch(Program program, OpId launch) {
  const Op kept = program.ops[launch.index()];
  Op nothing;
  nothing.kind = OpKind::record;  // on no stream: neither a step nor an order
  for (Op& op : program.ops) op = nothing;
  program.ops[launch.index()] = kept;
  program.accesses.clear();
  Op& only = program.ops[launch.index()];
  only.access_begin = only.access_count = 0;
  only.bound = OpId();

  std::vector<uint8_t> touched(program.lifetimes.size(), 0);
  for (const Access& access : program.graphs[kept.graph.index()].accesses)
    touched[access.lifetime.index()] = 1;
  for (size_t i = 0; i < program.lifetimes.size(); ++i) {
    Lifetime& lifetime = program.lifetimes[i];
    lifetime.use_records.clear();
    cut_to_graph(kept.graph, &lifetime.alloc);
    cut_to_graph(kept.graph, &lifetime.free);
    if (!touched[i]) lifetime.scratch = true, lifetime.live = false;
  }
  return program;
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

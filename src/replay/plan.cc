// SPDX-License-Identifier: Apache-2.0
#include "replay/plan.h"

#include <algorithm>

namespace bohr::replay {

Plan plan_of(const Program& program, std::span<const Step> steps) {
  Plan plan;
  for (const Step& step : steps) {
    PlanStep planned;
    planned.runs = step.part != Part::early && step.part != Part::source;
    for (const Access& access : work_accesses(program, step)) {
      if (!in_part(access, step.part)) continue;
      planned.named.push_back(access.range);
      if (bohr::writes(access.mode)) planned.may_write.push_back(access.range);
      if (access.source == AccessSource::copy && access.certainty == Certainty::exact &&
          access.mode == AccessMode::write)
        planned.writes.push_back(access.range);
    }
    planned.named = merged(std::move(planned.named));
    // One may be the input and its neighbour the output: they are not merged.
    std::vector<ByteRange>& may_write = planned.may_write;
    std::sort(may_write.begin(), may_write.end());
    may_write.erase(std::unique(may_write.begin(), may_write.end()), may_write.end());
    planned.writes = merged(std::move(planned.writes));
    plan.steps.push_back(std::move(planned));
  }
  // Blocks that are handed out within a graph start with whatever was left there.
  for (const Lifetime& lifetime : program.lifetimes)
    if (lifetime.alloc.known() && lifetime.alloc.graph.valid())
      for (const Piece& piece : lifetime.pieces) plan.blank.push_back(piece.range);
  plan.blank = merged(std::move(plan.blank));
  return plan;
}

Program bare_program(size_t steps) {
  Program program;
  program.source = "a launch";
  program.streams.push_back({"launch", StreamKind::nonblocking, 0});
  program.graphs.emplace_back();
  Op node;
  node.kind = OpKind::kernel;
  program.graphs.front().nodes.assign(steps, node);
  Op launch;
  launch.kind = OpKind::launch;
  launch.stream = StreamId(0);
  launch.graph = GraphId(0);
  launch.exec = ExecId(0);
  program.ops.push_back(launch);
  program.exec_count = 1;
  return program;
}

}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
// Cuts ops and nodes into steps.
#include "model/step.h"

namespace bohr {

namespace {

bool reads_source_in_call(const Op& op) {
  return op.kind == OpKind::copy && op.host_return == HostReturn::after_source_read;
}

void append(const Op& work, OpId op, NodeId node, std::vector<Step>* steps) {
  if (!is_work(work.kind)) return;
  if (work.programmatic) {
    steps->push_back({op, node, Part::early});
    steps->push_back({op, node, Part::rest});
  } else if (!node.valid() && reads_source_in_call(work)) {
    steps->push_back({op, node, Part::source});
    steps->push_back({op, node, Part::destination});
  } else {
    steps->push_back({op, node, Part::whole});
  }
}

}  // namespace

bool is_work(OpKind kind) {
  switch (kind) {
    case OpKind::kernel:
    case OpKind::copy:
    case OpKind::fill:
    case OpKind::callback:
    case OpKind::touch:
    case OpKind::empty:
    case OpKind::child:
    case OpKind::unmodelled:
      return true;
    default:
      return false;
  }
}

std::vector<Step> steps_of(const Program& program) {
  std::vector<Step> steps;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.kind != OpKind::launch) {
      append(op, OpId(i), NodeId(), &steps);
      continue;
    }
    const Graph& graph = program.graphs[op.graph.index()];
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      append(graph.nodes[n], OpId(i), NodeId(n), &steps);
    }
  }
  return steps;
}

const Op& work_of(const Program& program, const Step& step) {
  const Op& op = program.ops[step.op.index()];
  return step.node.valid() ? program.graphs[op.graph.index()].nodes[step.node.index()] : op;
}

std::span<const Access> work_accesses(const Program& program, const Step& step) {
  const Op& op = program.ops[step.op.index()];
  if (!step.node.valid()) return accesses_of(program, op);
  const Graph& graph = program.graphs[op.graph.index()];
  return accesses_of(graph, graph.nodes[step.node.index()]);
}

bool in_part(const Access& access, Part part) {
  switch (part) {
    case Part::whole:
      return true;
    case Part::early:
      return access.early;
    case Part::rest:
      return !access.early;
    case Part::source:
      return !writes(access.mode);
    case Part::destination:
      return writes(access.mode);
  }
  return false;
}

}  // namespace bohr

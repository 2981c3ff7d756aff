// SPDX-License-Identifier: Apache-2.0
// Cutting a tape into items.
#include "gpu/sim/tape.h"

namespace bohr::gpu::sim {

namespace {

void append(const Work& work, int32_t op, int32_t node, std::vector<Item>* items) {
  if (work.kind == WorkKind::kernel && work.launch.programmatic) {
    items->push_back({op, node, Part::early});
    items->push_back({op, node, Part::rest});
  } else if (work.source_in_call) {
    items->push_back({op, node, Part::source});
    items->push_back({op, node, Part::destination});
  } else {
    items->push_back({op, node, Part::whole});
  }
}

}  // namespace

void append_items(const Tape& tape, int32_t index, std::vector<Item>* items) {
  const TapeOp& op = tape.ops[static_cast<size_t>(index)];
  if (op.kind == OpKind::work || op.kind == OpKind::touch) {
    append(op.work, index, -1, items);
  } else if (op.kind == OpKind::launch) {
    const GraphVersion& graph = tape.graphs[static_cast<size_t>(op.graph)];
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      append(graph.nodes[i].work, index, static_cast<int32_t>(i), items);
  }
}

std::vector<Item> items_of(const Tape& tape) {
  std::vector<Item> items;
  for (size_t i = 0; i < tape.ops.size(); ++i) append_items(tape, static_cast<int32_t>(i), &items);
  return items;
}

std::string name_of(const Work& work) {
  switch (work.kind) {
    case WorkKind::kernel:
      return "kernel " + work.launch.kernel.name;
    case WorkKind::copy:
      return "copy";
    case WorkKind::fill:
      return "fill";
    case WorkKind::host_function:
      return "host function";
    case WorkKind::touch:
      return "host access";
  }
  return {};
}

}  // namespace bohr::gpu::sim

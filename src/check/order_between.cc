// SPDX-License-Identifier: Apache-2.0
// In a graph: from the second node back along edges whose start is still ordered after the first,
// until the first is reached; each step gets nearer, since edges form no cycle. Outside: along a
// stream what is ordered after an op is a tail of it, so the op at which the tail begins is the one
// that brought the order.
#include "check/order_between.h"

#include <algorithm>

#include "check/alike.h"
#include "order/topology.h"

namespace bohr::check {

namespace {

// The start of an edge into `node` that `first` is, or is ordered before; -1: none.
int32_t nearer(const order::Topology& topology, const order::GraphOrder& order, int32_t first,
               int32_t node) {
  int32_t found = -1;
  const auto i = static_cast<size_t>(node);
  for (uint32_t e = topology.in_begin[i]; e < topology.in_begin[i + 1]; ++e) {
    const order::InEdge& edge = topology.in_edges[e];
    if (edge.kind == EdgeKind::launch_order) continue;
    if (edge.from == first) return first;
    if (order.before(NodeId(first), NodeId(edge.from))) found = edge.from;
  }
  return found;
}

bool synchronises(OpKind kind) {
  return kind == OpKind::sync_stream || kind == OpKind::sync_event || kind == OpKind::sync_device;
}

}  // namespace

Absence order_in_graph(const Program& program, const Arenas& arenas, const Place& first,
                       const Place& second) {
  const Graph& graph = program.graphs[first.graph.index()];
  const order::GraphOrder& order = arenas.graphs[first.graph.index()].order;
  if (!order.before(NodeId(first.index), NodeId(second.index))) return {};
  const Result<order::Topology> topology = order::topology(graph);
  if (!topology.ok()) return {AbsenceKind::order, {}, {}};
  const StreamId left = op_at(program, first).stream;
  std::pair<int32_t, int32_t> edge = {first.index, second.index};
  for (int32_t to = second.index; to != first.index;) {
    const int32_t from = nearer(topology.value(), order, first.index, to);
    if (from < 0) return {AbsenceKind::order, {}, {}};
    const auto at = [&](int32_t node) { return graph.nodes[static_cast<size_t>(node)].stream; };
    if (at(from) == left && at(to) != left) edge = {from, to};
    to = from;
  }
  const auto name = [&](int32_t node) {
    return std::string(label_of(program, graph.nodes[static_cast<size_t>(node)]));
  };
  return {AbsenceKind::edge, name(edge.first), name(edge.second)};
}

Absence order_outside(const Program& program, const Arenas& arenas,
                      const std::vector<std::vector<int32_t>>& on_stream, int32_t first,
                      int32_t second) {
  const order::ProgramOrder& order = arenas.order;
  if (!order.before(OpId(first), OpId(second))) return {};
  for (int32_t i = first + 1; i < second; ++i) {
    const Op& op = program.ops[static_cast<size_t>(i)];
    const bool between = synchronises(op.kind) && order.before(OpId(first), OpId(i)) &&
                         order.before(OpId(i), OpId(second));
    if (between) return {AbsenceKind::host, line_of(program, op), {}};
  }
  const StreamId stream = program.ops[static_cast<size_t>(second)].stream;
  if (!stream.valid()) return {AbsenceKind::order, {}, {}};
  const std::vector<int32_t>& ops = on_stream[stream.index()];
  const auto tail = std::partition_point(ops.begin(), ops.end(), [&](int32_t op) {
    return op <= first || !order.before(OpId(first), OpId(op));
  });
  if (tail == ops.end()) return {AbsenceKind::order, {}, {}};
  const Op& bringer = program.ops[static_cast<size_t>(*tail)];
  if (bringer.kind != OpKind::wait) return {AbsenceKind::order, {}, {}};
  return {AbsenceKind::wait, line_of(program, bringer), {}};
}

}  // namespace bohr::check

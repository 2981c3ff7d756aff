// SPDX-License-Identifier: Apache-2.0
// Looks calls up by the sequence number of their entry, which ops keep.
#include "trace/import_timings.h"

#include <algorithm>
#include <unordered_map>

namespace bohr::trace {

namespace {

auto place(const bohr::Timing& timing) { return std::pair(timing.op, timing.node); }

bool is_work(bohr::OpKind kind) {
  return kind == OpKind::kernel || kind == OpKind::copy || kind == OpKind::fill ||
         kind == OpKind::callback || kind == OpKind::launch;
}

NodeId node_of(const bohr::Graph& graph, uint32_t number) {
  const auto at = std::ranges::find(graph.recorded_nodes, static_cast<int32_t>(number));
  return at == graph.recorded_nodes.end()
             ? NodeId()
             : NodeId(static_cast<size_t>(at - graph.recorded_nodes.begin()));
}

}  // namespace

std::vector<bohr::Timing> timings_of(const LogIndex& index, const Program& program) {
  std::vector<bohr::Timing> timings;
  if (index.timings.empty()) return timings;
  std::unordered_map<uint64_t, OpId> by_call;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    if (is_work(program.ops[i].kind))
      by_call.emplace(static_cast<uint64_t>(program.ops[i].enter), OpId(i));
  }
  for (const Timing* record : index.timings) {
    const auto op = by_call.find(record->seq);
    const bool sound = record->end >= record->begin && record->end <= INT64_MAX;
    if (op == by_call.end() || !sound) continue;
    bohr::Timing timing{
        op->second, {}, static_cast<int64_t>(record->begin), static_cast<int64_t>(record->end)};
    const Op& work = program.ops[op->second.index()];
    if (work.kind == OpKind::launch) {
      if (!work.graph.valid() || record->node > INT32_MAX) continue;
      timing.node = node_of(program.graphs[work.graph.index()], record->node);
      if (!timing.node.valid()) continue;
    }
    timings.push_back(timing);
  }
  std::ranges::stable_sort(timings, {}, place);
  const auto same = [](const bohr::Timing& a, const bohr::Timing& b) {
    return place(a) == place(b);
  };
  timings.erase(std::unique(timings.begin(), timings.end(), same), timings.end());
  return timings;
}

}  // namespace bohr::trace

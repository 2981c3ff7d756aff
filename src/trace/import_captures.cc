// SPDX-License-Identifier: Apache-2.0
#include "trace/import_captures.h"

#include <algorithm>

namespace bohr::trace {

Captures::Captures(ImportState& state, const GraphPlans& plans)
    : state_(state), by_graph_(plans.plans.size()), next_(plans.plans.size(), NodeId(0)) {
  for (const auto& [number, records] : state.index.captures) {
    Open& open = captures_[number];
    const auto graph =
        records.end ? plans.by_number.find(records.end->graph) : plans.by_number.end();
    if (!records.begin || graph == plans.by_number.end()) continue;
    if (plans.captured_bodies.count(graph->first) != 0) continue;
    if (by_graph_[graph->second.index()]) continue;
    open.graph = graph->second;
    by_graph_[open.graph.index()] = &open;
    open.frontiers = std::make_unique<CaptureFrontiers>(state.program.graphs[open.graph.index()],
                                                        &state.diagnostics);
  }
}

Captures::Open* Captures::find(uint32_t capture) {
  const auto it = captures_.find(capture);
  return it == captures_.end() ? nullptr : &it->second;
}

bool Captures::holds(const Open& open, uint32_t stream) {
  return open.frontiers ? open.frontiers->holds(stream)
                        : std::count(open.streams.begin(), open.streams.end(), stream) != 0;
}

const Captures::Open* Captures::open_of(uint32_t stream) const {
  for (const auto& [number, open] : open_)
    if (holds(*open, stream)) return open;
  return nullptr;
}

GraphId Captures::graph_of(uint32_t stream) const {
  const Open* open = open_of(stream);
  return open ? open->graph : GraphId();
}

void Captures::begin(const CaptureBegin& record) {
  Open* open = find(record.capture);
  open_[record.capture] = open;
  if (!open->frontiers) {
    open->streams.push_back(record.stream);
    return;
  }
  open->frontiers->begin(record.stream);
  state_.program.graphs[open->graph.index()].begin = {
      GraphId(), static_cast<int32_t>(state_.program.ops.size())};
}

void Captures::end(const CaptureEnd& record) {
  if (open_.erase(record.capture) == 0) return;
  Open* open = find(record.capture);
  if (!open->graph.valid()) return;
  state_.program.graphs[open->graph.index()].end = {
      GraphId(), static_cast<int32_t>(state_.program.ops.size())};
}

void Captures::record(const EventRecord& record) {
  Open* open = find(record.capture);
  if (open && open->frontiers && !record.external)
    open->frontiers->record(record.event, record.version, record.stream);
}

void Captures::wait(const EventWait& record) {
  Open* open = find(record.capture);
  if (!open || record.external) return;
  if (open->frontiers)
    open->frontiers->wait(record.event, record.version, record.stream);
  else if (!holds(*open, record.stream))
    open->streams.push_back(record.stream);
}

bool Captures::unmodelled(const Unmodelled& record) {
  for (const auto& [number, open] : open_) {
    if (!holds(*open, record.stream)) continue;
    if (open->frontiers) open->frontiers->set_by_hand(record.stream);
    return true;
  }
  return false;
}

void Captures::node(GraphId graph, NodeId node, const PlannedNode& planned) {
  next_[graph.index()] = NodeId(node.value() + 1);
  Open* open = by_graph_[graph.index()];
  if (open && planned.top)
    open->frontiers->node(planned.record->stream, node, planned.last, planned.seq);
}

void Captures::mark(MarkKind kind, LifetimeId lifetime, uint32_t owner, uint64_t seq) {
  const GraphId graph = graph_of(owner);
  by_graph_[graph.index()]->frontiers->mark(kind, lifetime, owner, next_node(graph), seq);
}

void Captures::finish() {
  for (auto& [number, open] : captures_) {
    if (!open.frontiers) continue;
    std::vector<Mark>& marks = state_.program.graphs[open.graph.index()].marks;
    std::vector<Mark> known = open.frontiers->finish();
    marks.insert(marks.end(), known.begin(), known.end());
    std::stable_sort(marks.begin(), marks.end(),
                     [](const Mark& a, const Mark& b) { return a.before < b.before; });
  }
}

}  // namespace bohr::trace

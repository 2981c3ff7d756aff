// SPDX-License-Identifier: Apache-2.0
#include "trace/import_capture.h"

#include <algorithm>
#include <set>

namespace bohr::trace {

namespace {

// Beyond these a frontier counts as unknown, so that no input makes the simulation slow.
constexpr int64_t kEdgesSearched = 1 << 22;  // in one capture
constexpr size_t kWidestFrontier = 1024;     // nodes

void unite(std::vector<NodeId>* into, const std::vector<NodeId>& other) {
  std::vector<NodeId> both;
  std::set_union(into->begin(), into->end(), other.begin(), other.end(), std::back_inserter(both));
  *into = std::move(both);
}

}  // namespace

CaptureFrontiers::CaptureFrontiers(const bohr::Graph& graph, Diagnostics* diagnostics)
    : diagnostics_(diagnostics), in_begin_(graph.nodes.size() + 1), search_budget_(kEdgesSearched) {
  for (const Edge& edge : graph.edges) ++in_begin_[edge.to.index() + 1];
  for (size_t i = 1; i < in_begin_.size(); ++i) in_begin_[i] += in_begin_[i - 1];
  in_.resize(graph.edges.size());
  std::vector<uint32_t> next(in_begin_.begin(), in_begin_.end() - 1);
  for (const Edge& edge : graph.edges) in_[next[edge.to.index()]++] = edge.from;
}

// Whether each of `wanted` is in `from` or leads to one of it.
bool CaptureFrontiers::covers(const Nodes& from, const Nodes& wanted) {
  std::set<NodeId> missing;
  for (const NodeId node : wanted)
    if (!std::binary_search(from.begin(), from.end(), node)) missing.insert(node);
  std::set<NodeId> seen(from.begin(), from.end());
  Nodes open = from;
  while (!missing.empty() && !open.empty() && search_budget_ > 0) {
    const size_t node = open.back().index();
    open.pop_back();
    search_budget_ -= 1 + in_begin_[node + 1] - in_begin_[node];
    for (uint32_t i = in_begin_[node]; i < in_begin_[node + 1]; ++i) {
      if (!seen.insert(in_[i]).second) continue;
      missing.erase(in_[i]);
      open.push_back(in_[i]);
    }
  }
  return missing.empty();
}

bool CaptureFrontiers::agrees(const Nodes& frontier, NodeId node) {
  Nodes edges(in_.begin() + in_begin_[node.index()], in_.begin() + in_begin_[node.index() + 1]);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges == frontier || (covers(edges, frontier) && covers(frontier, edges));
}

void CaptureFrontiers::forget(StreamState& stream, uint64_t seq) {
  for (const size_t mark : stream.marks) mark_known_[mark] = false;
  if (!stream.marks.empty())
    diagnostics_->add("allocator-order-unknown",
                      "allocator events on streams whose capture dependencies were set by hand",
                      seq);
  stream.marks.clear();
}

void CaptureFrontiers::node(uint32_t stream, NodeId first, NodeId last, uint64_t seq) {
  if (stream == 0) return;
  StreamState& state = streams_[stream];
  if (state.frontier.known && !agrees(state.frontier.nodes, first)) forget(state, seq);
  state.frontier = {{last}, true};
  state.marks.clear();
}

void CaptureFrontiers::record(uint32_t event, uint64_t version, uint32_t stream) {
  events_[{event, version}] = streams_[stream].frontier;
}

void CaptureFrontiers::wait(uint32_t event, uint64_t version, uint32_t stream) {
  StreamState& state = streams_[stream];
  const auto it = events_.find({event, version});
  if (it == events_.end() || !it->second.known) {
    set_by_hand(stream);
    return;
  }
  unite(&state.frontier.nodes, it->second.nodes);
  if (state.frontier.nodes.size() > kWidestFrontier) set_by_hand(stream);
}

void CaptureFrontiers::mark(MarkKind kind, LifetimeId lifetime, uint32_t owner, NodeId before,
                            uint64_t seq) {
  StreamState& state = streams_[owner];
  state.marks.push_back(marks_.size());
  mark_known_.push_back(state.frontier.known);
  if (!state.frontier.known)
    diagnostics_->add("allocator-order-unknown",
                      "allocator events on streams whose capture dependencies were set by hand",
                      seq);
  marks_.push_back({kind, lifetime, before, state.frontier.nodes});
}

std::vector<Mark> CaptureFrontiers::finish() {
  std::vector<Mark> known;
  for (size_t i = 0; i < marks_.size(); ++i)
    if (mark_known_[i]) known.push_back(std::move(marks_[i]));
  return known;
}

}  // namespace bohr::trace

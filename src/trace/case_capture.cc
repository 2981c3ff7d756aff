// SPDX-License-Identifier: Apache-2.0
// The frontiers of a capture.
#include "trace/case_capture.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "trace/case_lexer.h"

namespace bohr::trace::text {

namespace {

constexpr uint64_t kMaxMerged = 50'000'000;

Frontier no_nodes() { return std::make_shared<const std::vector<NodeId>>(); }

Frontier merged(const Frontier& a, const Frontier& b) {
  std::vector<NodeId> nodes;
  nodes.reserve(a->size() + b->size());
  std::set_union(a->begin(), a->end(), b->begin(), b->end(), std::back_inserter(nodes));
  return std::make_shared<const std::vector<NodeId>>(std::move(nodes));
}

}  // namespace

// Merging is bounded by itself: a wide join merges far more than it keeps.
Status Capture::merge(const Frontier& from, Frontier* into, int32_t line) {
  merged_ += from->size() + (*into)->size();
  if (merged_ > kMaxMerged) {
    return case_error("case-too-large", line, "the joins of the capture are too wide",
                      "split the capture");
  }
  *into = merged(*into, from);
  return Nothing{};
}

Frontier Capture::frontier(StreamId stream) const {
  const auto state = streams_.find(stream);
  if (state == streams_.end() || !state->second.frontier) return no_nodes();
  return state->second.frontier;
}

Status Capture::add_node(Op op, int32_t line) {
  const NodeId node(graph_.nodes.size());
  StreamState& state = streams_[op.stream];
  if (op.programmatic && state.kernel.valid()) {
    graph_.edges.push_back({state.kernel, node, EdgeKind::programmatic});
  } else if (state.frontier) {
    BOHR_TRY_STATUS(budget_.take(state.frontier->size(), line));
    for (const NodeId from : *state.frontier) {
      graph_.edges.push_back({from, node, EdgeKind::full});
    }
  }
  state.frontier = std::make_shared<const std::vector<NodeId>>(1, node);
  state.kernel = op.kind == OpKind::kernel ? node : NodeId();
  graph_.nodes.push_back(std::move(op));
  return Nothing{};
}

Status Capture::wait(StreamId stream, const Frontier& frontier, int32_t line) {
  StreamState& state = streams_[stream];
  state.kernel = NodeId();
  if (!state.frontier) {
    state.frontier = frontier;
    return Nothing{};
  }
  return merge(frontier, &state.frontier, line);
}

void Capture::wait_for_nothing(StreamId stream) { streams_[stream].kernel = NodeId(); }

Status Capture::mark(MarkKind kind, LifetimeId lifetime, const std::vector<StreamId>& streams,
                     int32_t line) {
  Frontier nodes = no_nodes();
  for (const StreamId stream : streams) {
    BOHR_TRY_STATUS(merge(frontier(stream), &nodes, line));
  }
  BOHR_TRY_STATUS(budget_.take(nodes->size(), line));
  graph_.marks.push_back({kind, lifetime, NodeId(graph_.nodes.size()), *nodes});
  return Nothing{};
}

}  // namespace bohr::trace::text

// SPDX-License-Identifier: Apache-2.0
// The last node before both is, of their common ancestors, the one that was issued last; the first
// after both likewise. A node is on a way from a to b when it comes after a and before b.
#include "report/html/slice.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "report/frames.h"

namespace bohr::report::html {

namespace {

constexpr size_t kMostNodes = 40;

using Lists = std::vector<std::vector<int32_t>>;

std::vector<bool> reached(const Lists& next, int32_t from) {
  std::vector<bool> seen(next.size(), false);
  std::vector<int32_t> open = {from};
  while (!open.empty()) {
    const int32_t node = open.back();
    open.pop_back();
    for (const int32_t other : next[static_cast<size_t>(node)]) {
      if (seen[static_cast<size_t>(other)]) continue;
      seen[static_cast<size_t>(other)] = true;
      open.push_back(other);
    }
  }
  return seen;
}

Lists edges_of(const Graph& graph, bool forward) {
  Lists lists(graph.nodes.size());
  for (const Edge& edge : graph.edges) {
    const NodeId from = forward ? edge.from : edge.to, to = forward ? edge.to : edge.from;
    lists[from.index()].push_back(to.value());
  }
  return lists;
}

// Nodes that both sets have; the last of them, or the first; -1: none.
int32_t common(const std::vector<bool>& a, const std::vector<bool>& b, bool last) {
  int32_t found = -1;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] && b[i] && (last || found < 0)) found = static_cast<int32_t>(i);
  return found;
}

// Of the nodes on the ways, in issue order; where they are too many those issued nearest to the
// two that race.
std::vector<int32_t> chosen_nodes(const Graph& graph, int32_t first, int32_t second,
                                  int64_t* left_out) {
  std::vector<int32_t> ends = {first, second};
  const Reach two = reach_of(graph, ends);
  for (const int32_t end :
       {common(two.before[0], two.before[1], true), common(two.after[0], two.after[1], false)})
    if (end >= 0) ends.push_back(end);
  const Reach all = reach_of(graph, ends);
  std::vector<int32_t> nodes;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    bool between = std::find(ends.begin(), ends.end(), static_cast<int32_t>(i)) != ends.end();
    for (size_t from = 0; from < ends.size(); ++from)
      for (size_t to = 0; to < ends.size(); ++to)
        between = between || (all.after[from][i] && all.before[to][i]);
    if (between) nodes.push_back(static_cast<int32_t>(i));
  }
  if (nodes.size() <= kMostNodes) return nodes;
  *left_out = static_cast<int64_t>(nodes.size() - kMostNodes);
  const auto far = [&](int32_t node) {
    if (std::find(ends.begin(), ends.end(), node) != ends.end()) return 0;
    return std::min(std::abs(node - first), std::abs(node - second));
  };
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](int32_t a, int32_t b) { return far(a) < far(b); });
  nodes.resize(kMostNodes);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

bool is_in_one_graph(const Finding& finding) {
  return finding.first.graph.valid() && finding.first.graph == finding.second.graph &&
         finding.first.node.valid() && finding.second.node.valid();
}

Reach reach_of(const Graph& graph, const std::vector<int32_t>& nodes) {
  const Lists forward = edges_of(graph, true), backward = edges_of(graph, false);
  Reach reach;
  for (const int32_t node : nodes) {
    reach.before.push_back(reached(backward, node));
    reach.after.push_back(reached(forward, node));
  }
  return reach;
}

std::vector<int32_t> stream_colours(const Graph& graph) {
  std::map<StreamId, int32_t> known;
  std::vector<int32_t> colours;
  for (const Op& node : graph.nodes)
    colours.push_back(
        known.try_emplace(node.stream, static_cast<int32_t>(known.size())).first->second);
  return colours;
}

Slice slice_of(const Program& program, const Finding& finding) {
  const Graph& graph = program.graphs[finding.first.graph.index()];
  const int32_t first = finding.first.node.value(), second = finding.second.node.value();
  Slice slice;
  const std::vector<int32_t> colours = stream_colours(graph);
  std::map<int32_t, int32_t> place;
  for (const int32_t node : chosen_nodes(graph, first, second, &slice.left_out)) {
    const Op& op = graph.nodes[static_cast<size_t>(node)];
    place[node] = static_cast<int32_t>(slice.nodes.size());
    slice.nodes.push_back(
        {node, label_text(label_of(program, op)),
         op.stream.valid() ? program.streams[op.stream.index()].name : std::string(),
         colours[static_cast<size_t>(node)], node == first || node == second});
  }
  slice.first = place[first], slice.second = place[second];
  for (const Edge& edge : graph.edges) {
    const auto from = place.find(edge.from.value()), to = place.find(edge.to.value());
    if (from == place.end() || to == place.end()) continue;
    slice.edges.push_back({from->second, to->second, edge.kind == EdgeKind::programmatic});
  }
  return slice;
}

}  // namespace bohr::report::html

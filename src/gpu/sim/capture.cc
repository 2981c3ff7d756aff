// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/capture.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bohr::gpu::sim {

Capture::Capture(uint32_t number, Stream origin, Pool pool, std::string name)
    : number_(number), origin_(origin), pool_(pool), name_(std::move(name)) {
  streams_[origin];
}

void Capture::add(Node node) {
  const int32_t index = static_cast<int32_t>(graph_.nodes.size());
  StreamState& state = streams_[node.stream];
  const bool kernel = node.work.kind == WorkKind::kernel;
  if (kernel && node.work.launch.programmatic && state.kernel >= 0) {
    graph_.edges.push_back({state.kernel, index, true});
  } else {
    for (const int32_t from : state.frontier) graph_.edges.push_back({from, index, false});
  }
  state.frontier = {index};
  state.kernel = kernel ? index : -1;
  graph_.nodes.push_back(std::move(node));
}

void Capture::wait(Stream stream, const Frontier& frontier) {
  StreamState& state = streams_[stream];
  Frontier both;
  std::set_union(state.frontier.begin(), state.frontier.end(), frontier.begin(), frontier.end(),
                 std::back_inserter(both));
  state.frontier = std::move(both);
  state.kernel = -1;
}

// Edges lead to higher indices, so one pass from the end finds all that leads to the frontier.
bool Capture::joined() const {
  std::vector<bool> leads(graph_.nodes.size(), false);
  for (const int32_t node : streams_.at(origin_).frontier) leads[static_cast<size_t>(node)] = true;
  std::vector<Frontier> next(graph_.nodes.size());
  for (const GraphEdge& edge : graph_.edges)
    next[static_cast<size_t>(edge.from)].push_back(edge.to);
  for (size_t i = leads.size(); i-- > 0;)
    for (const int32_t to : next[i])
      if (leads[static_cast<size_t>(to)]) leads[i] = true;
  return std::all_of(leads.begin(), leads.end(), [](bool leads_on) { return leads_on; });
}

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// Numbering and building small programs.
#include "exhaustive/small_programs.h"

#include <algorithm>
#include <string>

namespace bohr::naive {

namespace {
constexpr uint64_t kRangeBytes = 8;
constexpr uint64_t kBase = 4096;
}  // namespace

uint64_t Size::fillings() const {
  uint64_t count = 1;
  for (int i = 0; i < nodes * ranges; ++i) count *= modes.size() + 1;
  return count;
}

// Nodes are spread over one to four capture streams, whatever their edges: what a stream's name
// suggests must not count.
SmallProgram::SmallProgram(const Size& size, uint64_t shape) : size_(size) {
  program_.source = "shape " + std::to_string(shape);
  program_.actors.push_back({"host", ActorKind::thread});
  const auto streams = 1 + shape % 4;
  for (uint64_t s = 0; s < streams; ++s) program_.streams.push_back({"s" + std::to_string(s)});

  Lifetime memory;
  memory.name = "memory";
  memory.bytes = kRangeBytes * static_cast<uint64_t>(size.ranges);
  memory.pieces = {{{kBase, kBase + memory.bytes}, 0}};
  memory.buffer = true;
  program_.lifetimes.push_back(memory);

  Graph graph;
  graph.name = "g";
  graph.begin.index = 0;
  graph.end.index = 0;
  int bit = 0;
  for (int n = 0; n < size.nodes; ++n) {
    Op node;
    node.kind = OpKind::kernel;
    node.actor = ActorId(0);
    node.stream = StreamId(static_cast<size_t>(n) % program_.streams.size());
    node.label = NameId(program_.names.size());
    program_.names.push_back("n" + std::to_string(n));
    graph.nodes.push_back(node);
    for (int m = 0; m < n; ++m, ++bit) {
      if ((shape >> bit) & 1) graph.edges.push_back({NodeId(m), NodeId(n), EdgeKind::full});
    }
  }
  program_.graphs.push_back(graph);

  Op launch;
  launch.kind = OpKind::launch;
  launch.actor = ActorId(0);
  launch.stream = StreamId(0);
  launch.graph = GraphId(0);
  launch.exec = ExecId(0);
  program_.ops.push_back(launch);
  program_.exec_count = 1;

  const auto count = static_cast<size_t>(size.nodes);
  seen_before_.assign(count, std::vector<bool>(count));
  std::vector<int32_t> prefix;
  extend(&prefix);
}

// Every node whose predecessors have all been placed may come next.
void SmallProgram::extend(std::vector<int32_t>* prefix) {
  if (prefix->size() == static_cast<size_t>(size_.nodes)) {
    extensions_.push_back(*prefix);
    for (size_t i = 0; i < prefix->size(); ++i) {
      for (size_t j = 0; j < i; ++j) seen_before_[(*prefix)[j]][(*prefix)[i]] = true;
    }
    return;
  }
  const auto placed = [&](int32_t node) {
    return std::find(prefix->begin(), prefix->end(), node) != prefix->end();
  };
  for (int32_t n = 0; n < size_.nodes; ++n) {
    if (placed(n)) continue;
    const bool ready = std::all_of(
        graph().edges.begin(), graph().edges.end(),
        [&](const Edge& edge) { return edge.to.value() != n || placed(edge.from.value()); });
    if (!ready) continue;
    prefix->push_back(n);
    extend(prefix);
    prefix->pop_back();
  }
}

void SmallProgram::fill(uint64_t filling) {
  Graph& graph = program_.graphs[0];
  graph.accesses.clear();
  for (Op& node : graph.nodes) {
    node.access_begin = static_cast<uint32_t>(graph.accesses.size());
    for (int r = 0; r < size_.ranges; ++r) {
      const uint64_t choice = filling % (size_.modes.size() + 1);
      filling /= size_.modes.size() + 1;
      if (choice == 0) continue;
      Access access;
      access.offset = kRangeBytes * static_cast<uint64_t>(r);
      access.range = {kBase + access.offset, kBase + access.offset + kRangeBytes};
      access.lifetime = LifetimeId(0);
      access.mode = size_.modes[choice - 1];
      graph.accesses.push_back(access);
    }
    node.access_count = static_cast<uint32_t>(graph.accesses.size()) - node.access_begin;
  }
}

bool SmallProgram::conflict(int a, int b) const {
  for (const Access& x : accesses_of(graph(), graph().nodes[a])) {
    for (const Access& y : accesses_of(graph(), graph().nodes[b])) {
      const bool atomics = x.mode == AccessMode::atomic && y.mode == AccessMode::atomic;
      if (x.range == y.range && (writes(x.mode) || writes(y.mode)) && !atomics) return true;
    }
  }
  return false;
}

std::set<std::pair<int32_t, int32_t>> SmallProgram::hazards() const {
  std::set<std::pair<int32_t, int32_t>> pairs;
  for (int32_t b = 0; b < size_.nodes; ++b) {
    for (int32_t a = 0; a < b; ++a) {
      if (seen_before_[a][b] && seen_before_[b][a] && conflict(a, b)) pairs.insert({a, b});
    }
  }
  return pairs;
}

}  // namespace bohr::naive

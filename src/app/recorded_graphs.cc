// SPDX-License-Identifier: Apache-2.0
// Numbers are those of the import: a level's own nodes as the driver lists them, then those of its
// child graphs, one after the other and each in the same way.
#include "app/recorded_graphs.h"

#include <algorithm>

namespace bohr::app {

namespace {

constexpr int kDeepest = 32;        // child graphs, as in the import
constexpr uint32_t kNodeChild = 4;  // as CUgraphNodeType

void add_level(const RecordedGraphs& recorded, const RecordedGraphs::Graph& graph, Level level,
               int depth, int64_t* next, std::vector<Level>* levels) {
  constexpr int64_t kMost = INT32_MAX;
  level.graph = &graph;
  level.first = static_cast<int32_t>(*next);
  *next += graph.head.nodes;
  if (*next > kMost) return;
  const auto own = static_cast<int32_t>(levels->size());
  levels->push_back(level);
  for (const trace::Node& node : graph.nodes) {
    const RecordedGraphs::Graph* child = depth < kDeepest ? recorded.child_of(node) : nullptr;
    if (child == nullptr || node.index >= graph.nodes.size()) continue;
    add_level(recorded, *child, {nullptr, 0, own, node.index}, depth + 1, next, levels);
    if (*next > kMost) return;
  }
}

// From the level itself up to the graph.
std::vector<int32_t> path_up(const std::vector<Level>& levels, int32_t level) {
  std::vector<int32_t> path;
  for (; level >= 0; level = levels[static_cast<size_t>(level)].above) path.push_back(level);
  return path;
}

HeldNode held_in(const std::vector<Level>& levels, LevelNode node, int32_t level) {
  HeldNode held;
  while (node.level != level) {
    held.inside.insert(held.inside.begin(), node.node);
    const Level& here = levels[static_cast<size_t>(node.level)];
    node = {here.above, here.child_node};
  }
  held.node = node.node;
  return held;
}

std::vector<patch::ChildGraph> children_of(const RecordedGraphs& recorded,
                                           const RecordedGraphs::Graph& graph, int depth) {
  std::vector<patch::ChildGraph> children;
  for (const trace::Node& node : graph.nodes)
    if (const auto* child = depth < kDeepest ? recorded.child_of(node) : nullptr)
      children.push_back({node.index, child->nodes, children_of(recorded, *child, depth + 1)});
  return children;
}

}  // namespace

RecordedGraphs::RecordedGraphs(const trace::Log& log) {
  for (const trace::Record& record : log.records) {
    if (const auto* head = std::get_if<trace::Graph>(&record))
      graphs_[head->graph].head = *head;
    else if (const auto* node = std::get_if<trace::Node>(&record))
      graphs_[node->graph].nodes.push_back(*node);
    else if (const auto* edges = std::get_if<trace::Edges>(&record))
      graphs_[edges->graph].edges = *edges;
    else if (const auto* version = std::get_if<trace::GraphVersion>(&record))
      bases_[version->graph] = version->base;
    else if (const auto* function = std::get_if<trace::Function>(&record))
      names_[function->function] = log.strings[function->name.id];
  }
  // Each node once, as the import takes them, so that each graph has one place at most.
  for (auto& [number, graph] : graphs_) {
    std::vector<trace::Node>& nodes = graph.nodes;
    std::ranges::stable_sort(nodes, {}, &trace::Node::index);
    const auto same = [](const trace::Node& a, const trace::Node& b) { return a.index == b.index; };
    nodes.erase(std::unique(nodes.begin(), nodes.end(), same), nodes.end());
  }
  for (auto& [number, graph] : graphs_) graph.children = children_of(*this, graph, 0);
}

const RecordedGraphs::Graph* RecordedGraphs::graph(uint32_t number) const {
  // A damaged log may name versions in a circle.
  for (size_t most = bases_.size(); most-- > 0;)
    if (const auto base = bases_.find(number); base != bases_.end()) number = base->second;
  const auto found = graphs_.find(number);
  return found == graphs_.end() ? nullptr : &found->second;
}

const RecordedGraphs::Graph* RecordedGraphs::child_of(const trace::Node& node) const {
  const bool holds = node.type == kNodeChild && node.child != 0;
  const auto found = holds ? graphs_.find(node.child) : graphs_.end();
  if (found == graphs_.end()) return nullptr;
  const trace::Graph& head = found->second.head;
  return head.parent == node.graph && head.parent_node == node.index ? &found->second : nullptr;
}

patch::GraphView RecordedGraphs::view(const Graph& graph) const {
  const auto name_of = [this](uint32_t number) {
    const auto name = names_.find(number);
    return name == names_.end() ? std::string() : name->second;
  };
  return {graph.nodes, graph.edges, name_of, graph.children};
}

std::vector<Level> levels_of(const RecordedGraphs& recorded, uint32_t number) {
  std::vector<Level> levels;
  int64_t next = 0;
  if (const RecordedGraphs::Graph* graph = recorded.graph(number))
    add_level(recorded, *graph, {}, 0, &next, &levels);
  return levels;
}

std::optional<LevelNode> find_node(const std::vector<Level>& levels, int32_t number) {
  for (size_t i = 0; i < levels.size(); ++i) {
    const int64_t index = int64_t{number} - levels[i].first;
    const RecordedGraphs::Graph& graph = *levels[i].graph;
    if (index >= 0 && index < int64_t{graph.head.nodes} && index < std::ssize(graph.nodes))
      return LevelNode{static_cast<int32_t>(i), static_cast<uint32_t>(index)};
  }
  return std::nullopt;
}

int32_t number_of(const std::vector<Level>& levels, LevelNode node) {
  return levels[static_cast<size_t>(node.level)].first + static_cast<int32_t>(node.node);
}

std::optional<LevelNode> find_node(const std::vector<Level>& levels, int32_t level,
                                   const HeldNode& node) {
  LevelNode at{level, node.node};
  for (const uint32_t next : node.inside) {
    const auto inner = std::ranges::find_if(levels, [&](const Level& one) {
      return one.above == at.level && one.child_node == at.node;
    });
    if (inner == levels.end()) return std::nullopt;
    at = {static_cast<int32_t>(inner - levels.begin()), next};
  }
  return at;
}

LevelPair in_one_graph(const std::vector<Level>& levels, LevelNode a, LevelNode b) {
  const std::vector<int32_t> of_a = path_up(levels, a.level), of_b = path_up(levels, b.level);
  int32_t common = 0;
  for (auto i = of_a.rbegin(), j = of_b.rbegin(); i != of_a.rend() && j != of_b.rend() && *i == *j;
       ++i, ++j)
    common = *i;
  return {common, held_in(levels, a, common), held_in(levels, b, common)};
}

}  // namespace bohr::app

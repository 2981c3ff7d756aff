// SPDX-License-Identifier: Apache-2.0
// The driver's graphs as a log records them, and the levels of one: the graph itself and the graphs
// of its child nodes, each with nodes and edges of its own. The agent sees and repairs them one by
// one, where the program has them in one graph (Graph::recorded_nodes).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "patch/graph_key.h"
#include "patch/match.h"
#include "trace/log_reader.h"

namespace bohr::app {

class RecordedGraphs {
 public:
  struct Graph {
    trace::Graph head;
    std::vector<trace::Node> nodes;
    trace::Edges edges;
    std::vector<patch::ChildGraph> children;
  };

  explicit RecordedGraphs(const trace::Log& log);

  // Of a version the graph that it was made from. Null: not recorded.
  const Graph* graph(uint32_t number) const;
  // Null: the node is no child graph, or its graph was not read.
  const Graph* child_of(const trace::Node& node) const;
  patch::GraphView view(const Graph& graph) const;

 private:
  std::map<uint32_t, Graph> graphs_;
  std::map<uint32_t, uint32_t> bases_;  // of versions
  std::map<uint32_t, std::string> names_;
};

struct Level {
  const RecordedGraphs::Graph* graph = nullptr;
  int32_t first = 0;        // the number of its first node
  int32_t above = -1;       // the level that has the child node; -1: the graph itself
  uint32_t child_node = 0;  // that node's index there
};

// The graph itself first. Empty: it is not recorded.
std::vector<Level> levels_of(const RecordedGraphs& recorded, uint32_t number);

// A node of one level, by its index there.
struct LevelNode {
  int32_t level = 0;
  uint32_t node = 0;
};
// Nothing: `number` is no node of them.
std::optional<LevelNode> find_node(const std::vector<Level>& levels, int32_t number);

// The way back.
int32_t number_of(const std::vector<Level>& levels, LevelNode node);

// A node as the graph of a level above it has it: itself, or the child node that holds it, and the
// way from there.
struct HeldNode {
  uint32_t node = 0;
  std::vector<uint32_t> inside;
};
// Two nodes in the smallest graph that holds both.
struct LevelPair {
  int32_t level = 0;
  HeldNode first;
  HeldNode second;
  patch::NewEdge edge() const { return {first.node, second.node}; }
};
LevelPair in_one_graph(const std::vector<Level>& levels, LevelNode a, LevelNode b);
// Nothing: there is none.
std::optional<LevelNode> find_node(const std::vector<Level>& levels, int32_t level,
                                   const HeldNode& node);

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// The part of a graph that says why two of its nodes are not ordered: the ways by which both are
// reached from the last node before both, and by which both reach the first node after both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/program.h"
#include "model/verdict.h"

namespace bohr::report::html {

struct SliceNode {
  int32_t node = -1;  // of the graph
  std::string label;
  std::string stream;
  int32_t colour = 0;  // of its stream, counted over the graph
  bool racing = false;
};
struct SliceEdge {
  int32_t from = -1;  // index into nodes
  int32_t to = -1;
  bool programmatic = false;
};
struct Slice {
  std::vector<SliceNode> nodes;  // in issue order
  std::vector<SliceEdge> edges;
  int32_t first = -1;  // the two that race
  int32_t second = -1;
  int64_t left_out = 0;  // nodes, because there were too many
};

// Whether both sides are nodes of one graph; only then there are pictures of them.
bool is_in_one_graph(const Finding& finding);
Slice slice_of(const Program& program, const Finding& finding);

// A number for the node's stream, by the streams' first nodes.
std::vector<int32_t> stream_colours(const Graph& graph);

// By node of a graph: every node that edges lead from to it, and every node that they lead to.
struct Reach {
  std::vector<std::vector<bool>> before;  // [of what was asked for][node]
  std::vector<std::vector<bool>> after;
};
Reach reach_of(const Graph& graph, const std::vector<int32_t>& nodes);

// The slice as SVG, laid out by Graphviz; empty where the build has none, or it fails.
std::string graph_svg(const Slice& slice);
bool has_graph_layout();

}  // namespace bohr::report::html

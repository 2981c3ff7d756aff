// SPDX-License-Identifier: Apache-2.0
// An arena: steps with one set of clocks, and their accesses by range. There is one for the ops
// outside graphs and one for each graph.
#pragma once

#include <vector>

#include "check/groups.h"
#include "model/program.h"
#include "order/graph_order.h"
#include "order/program_order.h"

namespace bohr::check {

struct GraphArena {
  order::GraphOrder order;
  Groups groups;
};

// Launches of one exec that run one graph, in their order: a totally ordered list.
struct LaunchSet {
  ExecId exec;
  GraphId graph;
  std::vector<Entry> launches;  // Entry::op is the launch op
};

struct Arenas {
  order::ProgramOrder order;
  Groups groups;  // ops outside graphs; launches have no accesses of their own here
  // Steps of ops with accesses: for each chain a totally ordered list, then for each chain its
  // early parts.
  std::vector<std::vector<Entry>> active;
  std::vector<GraphArena> graphs;
  std::vector<LaunchSet> launch_sets;
  std::vector<int32_t> launch_number;  // of op i: 1-based among the launches of its exec, else 0
};

// Fails where the program has no order (a cyclic graph, a reference to the future).
Result<Arenas> make_arenas(const Program& program, bool strict_threads);

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// What the stages of a repair look at: the program, what was found in it, its order, and a legal
// order in which every read sees its intended writer.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "check/check.h"
#include "explore/footprints.h"
#include "explore/intended.h"
#include "model/exploration.h"
#include "model/verdict.h"
#include "order/graph_order.h"
#include "order/program_order.h"
#include "order/step_order.h"

namespace bohr::fix {

// Of graphs, by node: its place in an order that replays showed to leave what the program's own
// launches leave. What they show weighs more than what accesses suggest.
using ShownOrders = std::map<GraphId, std::vector<int32_t>>;

// From the right schedules of witnesses that ran one launch of a graph.
ShownOrders shown_orders(const Program& program, std::span<const Witness> witnesses);

struct Setting {
  const Program& program;
  const Verdict& verdict;
  check::Options check;  // with which repaired programs are checked
  order::ProgramOrder ops;
  std::vector<order::GraphOrder> graphs;
  order::StepOrder steps;
  explore::Footprints uses;
  std::vector<explore::Intent> intents;
  // Of each step its place in a right order; empty: no legal order is right, or none was found, or
  // a recorded program does not say enough of its reads and writes.
  std::vector<int32_t> right_place;
  ShownOrders shown = {};
};

// `verdict` is what check() says with these options. `program` and `verdict` must outlive it.
// Errors are those of ordering the program.
Result<Setting> setting_of(const Program& program, const Verdict& verdict,
                           const check::Options& check, ShownOrders shown = {});

// An access of a block: a node of a graph, or an op, a launch of that graph among them.
struct UseOf {
  GraphId graph;  // invalid: `op`
  NodeId node;
  OpId op;
};
std::vector<UseOf> uses_of(const Setting& setting, LifetimeId block);

// Whether a use is done before an op or a node of a graph begins, in every launch.
bool done_before(const Setting& setting, const UseOf& use, const Point& point);

}  // namespace bohr::fix

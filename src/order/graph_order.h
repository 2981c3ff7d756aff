// SPDX-License-Identifier: Apache-2.0
// Happens-before inside one graph.
//
// A node is one step; a node with programmatic edges into it has an early step besides. Full edges
// order completion before start. A programmatic edge P -> K orders K's rest after P's completion,
// and K's early part only after what P's own start was ordered after: in a run of programmatic
// kernels the early part of the last is unordered with all of them back to the first. A
// launch-order edge orders nothing.
//
// Chains: a node joins the chain of its capture stream where that chain's last node happens before
// it, else the chain of a predecessor or any other chain of which that is true, else it starts one.
// That is greedy. Where capture streams that really are chains and a smallest cover of the other
// nodes make fewer, these are taken (order/chain_cover.h). Their number costs memory and time,
// never truth.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "order/clocks.h"

namespace bohr::order {

struct GraphOrder {
  Clocks clocks;
  std::vector<int32_t> step;        // of node i
  std::vector<int32_t> early_step;  // of node i; equal to `step` where it has no early part
  int32_t chains = 0;

  bool before(NodeId a, NodeId b) const { return clocks.before(step[a.index()], step[b.index()]); }
};

// Refuses what topology() does, and rows of more than `most_entries` (`order-too-large`).
Result<GraphOrder> graph_order(const Graph& graph, size_t most_entries = kMostEntries);

}  // namespace bohr::order

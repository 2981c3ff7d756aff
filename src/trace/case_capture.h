// SPDX-License-Identifier: Apache-2.0
// Simulates one stream capture: stream actions in, nodes and edges out.
//
// Each stream has a frontier, the nodes after which its next node runs: at first none, after a
// node that node alone. A record keeps the frontier of its stream, a wait adds that to its own
// stream's, and a node gets an edge from each node of the frontier. A programmatic launch whose
// predecessor on the stream is a kernel, with no wait in between, gets a programmatic edge from
// that kernel instead: then the frontier is that kernel alone, so no other edge is lost. A stream
// that never waited for another starts with an empty frontier, so its nodes hang on nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/program.h"
#include "trace/case_budget.h"

namespace bohr::trace::text {

// Sorted. Shared, because an event keeps what its stream had.
using Frontier = std::shared_ptr<const std::vector<NodeId>>;

class Capture {
 public:
  Capture(bohr::Graph* graph, GraphId id, Budget* budget)
      : graph_(*graph), id_(id), budget_(*budget) {}

  GraphId id() const { return id_; }
  bohr::Graph& graph() { return graph_; }

  Status add_node(Op op, int32_t line);
  Frontier frontier(StreamId stream) const;
  Status wait(StreamId stream, const Frontier& frontier, int32_t line);
  // A wait on what was recorded elsewhere orders nothing, but it is a wait.
  void wait_for_nothing(StreamId stream);

  // An alloc or a free: `streams` are those whose frontiers count.
  Status mark(MarkKind kind, LifetimeId lifetime, const std::vector<StreamId>& streams,
              int32_t line);

 private:
  Status merge(const Frontier& a, Frontier* into, int32_t line);

  struct StreamState {
    Frontier frontier;
    NodeId kernel;  // the last thing on the stream, records aside, if it is a kernel
  };

  bohr::Graph& graph_;
  GraphId id_;
  Budget& budget_;
  std::unordered_map<StreamId, StreamState> streams_;
  uint64_t merged_ = 0;  // entries of merged frontiers so far
};

}  // namespace bohr::trace::text

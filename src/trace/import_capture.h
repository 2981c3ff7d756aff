// SPDX-License-Identifier: Apache-2.0
// Follows one capture to know, at an allocator event, after which nodes the owner stream's next
// node would run: its frontier.
//
// A stream's frontier is the node that was last captured on it, joined with the frontiers that it
// waited for; an event record keeps the frontier of its stream, and a wait joins it in. Programs
// may also set a stream's dependencies by hand, in ways that no record need show. So each node that
// appears on a stream is held against the graph: its edges must lead from the simulated frontier.
// Where they do not, the frontier was set by hand somewhere since the stream's last node, and the
// events in between get no frontier, that is no mark.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/program.h"
#include "trace/import_diagnostics.h"

namespace bohr::trace {

class CaptureFrontiers {
 public:
  CaptureFrontiers(const bohr::Graph& graph, Diagnostics* diagnostics);

  void begin(uint32_t stream) { streams_[stream] = {}; }
  // What was captured next on `stream` (0: by no stream): a node, or a child graph from its first
  // node to its last.
  void node(uint32_t stream, NodeId first, NodeId last, uint64_t seq);
  void record(uint32_t event, uint64_t version, uint32_t stream);
  void wait(uint32_t event, uint64_t version, uint32_t stream);
  // The stream's dependencies were set by hand.
  void set_by_hand(uint32_t stream) { streams_[stream].frontier.known = false; }
  // Whether the stream has been part of this capture so far.
  bool holds(uint32_t stream) const { return streams_.count(stream) != 0; }
  // An allocator event before node `before`.
  void mark(MarkKind kind, LifetimeId lifetime, uint32_t owner, NodeId before, uint64_t seq);

  // The marks whose frontier is known.
  std::vector<Mark> finish();

 private:
  using Nodes = std::vector<NodeId>;  // sorted
  struct Frontier {
    Nodes nodes;
    bool known = true;
  };
  struct StreamState {
    Frontier frontier;
    std::vector<size_t> marks;  // since its last node
  };
  bool agrees(const Nodes& frontier, NodeId node);
  bool covers(const Nodes& from, const Nodes& wanted);
  void forget(StreamState& stream, uint64_t seq);

  Diagnostics* diagnostics_;
  std::vector<uint32_t> in_begin_;  // of node i: in_[in_begin_[i] .. in_begin_[i + 1])
  Nodes in_;
  std::map<uint32_t, StreamState> streams_;
  std::map<std::pair<uint32_t, uint64_t>, Frontier> events_;
  std::vector<Mark> marks_;
  std::vector<bool> mark_known_;
  int64_t search_budget_;  // edges that comparisons may still follow
};

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// The captures that are open at the moment that import has reached.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "trace/import_capture.h"
#include "trace/import_graphs.h"

namespace bohr::trace {

class Captures {
 public:
  Captures(ImportState& state, const GraphPlans& plans);

  void begin(const CaptureBegin& record);
  void end(const CaptureEnd& record);
  void record(const EventRecord& record);
  void wait(const EventWait& record);
  // True when the stream is being captured, so that what happened to it was no op.
  bool unmodelled(const Unmodelled& record);
  // Import has reached a node.
  void node(GraphId graph, NodeId node, const PlannedNode& planned);

  // The graph that the stream is being captured into; invalid when it is in no capture or the
  // capture came to nothing.
  GraphId graph_of(uint32_t stream) const;
  bool capturing(uint32_t stream) const { return open_of(stream) != nullptr; }
  // The next node of a graph.
  NodeId next_node(GraphId graph) const { return next_[graph.index()]; }
  // An allocator event on a stream that graph_of(stream) holds.
  void mark(MarkKind kind, LifetimeId lifetime, uint32_t owner, uint64_t seq);

  // Gives the graphs their marks.
  void finish();

 private:
  struct Open {
    GraphId graph;  // invalid: the capture came to nothing
    bool closed = false;
    std::unique_ptr<CaptureFrontiers> frontiers;
    std::vector<uint32_t> streams;  // that are in it, where it came to nothing
  };
  Open* find(uint32_t capture);
  const Open* open_of(uint32_t stream) const;
  static bool holds(const Open& open, uint32_t stream);

  ImportState& state_;
  std::map<uint32_t, Open> captures_;
  std::map<uint32_t, Open*> open_;  // of captures_, by number
  std::vector<Open*> by_graph_;     // null: the graph is not made by a capture
  std::vector<NodeId> next_;        // by graph
};

}  // namespace bohr::trace

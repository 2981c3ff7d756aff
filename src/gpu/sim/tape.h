// SPDX-License-Identifier: Apache-2.0
// The tape: all that a program asked for, in issue order, in a form that can be run again from the
// initial memory, in any order of its items.
//
// An item is a piece of work that has a place of its own in an order: an op, or a node of a launch.
// A programmatically launched kernel is two items, its early part and the rest; a copy from
// pageable memory outside captures is two as well, the reading of its source during the call and
// the write. That is how a trace of the same program is cut into steps (replay::Step).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/runtime.h"
#include "gpu/sim/arena.h"

namespace bohr::gpu::sim {

enum class WorkKind : uint8_t { kernel, copy, fill, host_function, touch };

struct Work {
  WorkKind kind = WorkKind::kernel;
  KernelLaunch launch;           // kernel
  std::vector<Access> accesses;  // all that it may touch, whatever its kind
  HostFunction function;         // host_function, touch
  uint64_t dst = 0;              // copy, fill
  uint64_t src = 0;
  uint64_t bytes = 0;
  Region dst_region = Region::none;
  Region src_region = Region::none;
  uint8_t value = 0;
  bool source_in_call = false;  // a copy that has read its source when the call returns
};

struct Node {
  Work work;
  Stream stream;
  uint64_t seq = 0;  // of the captured call
  Thread thread;
  uint32_t stack = 0;
};

struct GraphEdge {
  int32_t from = 0;
  int32_t to = 0;
  bool programmatic = false;
};

// Nodes and edges as they ran: an update or other parameters make a new one.
struct GraphVersion {
  std::vector<Node> nodes;
  std::vector<GraphEdge> edges;
};

enum class OpKind : uint8_t {
  work,
  launch,
  record,
  wait,
  sync_stream,
  sync_event,
  sync_device,
  touch,
  call  // that took the host time and nothing else
};

struct TapeOp {
  OpKind kind = OpKind::work;
  uint64_t seq = 0;  // of the call's entry
  Thread thread;
  Stream stream;            // sync_stream: that was waited for
  Work work;                // work, touch
  int32_t bound = -1;       // wait, sync_event: the record op
  int32_t graph = -1;       // launch: index into Tape::graphs
  Exec exec;                // launch
  bool host_waits = false;  // the call returned when the work was done
};

struct Tape {
  std::vector<StreamOptions> streams;  // by Stream
  std::vector<TapeOp> ops;
  std::vector<GraphVersion> graphs;
};

enum class Part : uint8_t { whole, early, rest, source, destination };

struct Item {
  int32_t op = -1;
  int32_t node = -1;
  Part part = Part::whole;
  constexpr auto operator<=>(const Item&) const = default;
};

inline const Work& work_of(const Tape& tape, const Item& item) {
  const TapeOp& op = tape.ops[static_cast<size_t>(item.op)];
  if (item.node < 0) return op.work;
  const GraphVersion& graph = tape.graphs[static_cast<size_t>(op.graph)];
  return graph.nodes[static_cast<size_t>(item.node)].work;
}

// The items of one op, or of one node of it, appended in issue order.
void append_items(const Tape& tape, int32_t op, std::vector<Item>* items);
// All items, in issue order.
std::vector<Item> items_of(const Tape& tape);

// "kernel kv_store", "copy", for messages.
std::string name_of(const Work& work);

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// A program as plain values: what streams, host threads and outside agents were asked to do, in
// issue order. Every reader (case, event log, SQLite) ends here and every stage starts here.
//
// An op is a unit of work. Ops issued outside a capture stand in Program::ops by issue order; ops
// that became nodes stand in a Graph. The accesses of an op are a slice of the access table beside
// it (Program::accesses or Graph::accesses). References between ops are resolved by the readers: a
// wait names the record op whose version it is bound to, an await names its signal, so no stage
// looks at event handles or tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/range.h"
#include "model/access.h"

namespace bohr {

enum class StreamKind : uint8_t { nonblocking, blocking, legacy, per_thread };

// Legacy-default-stream rules hold between streams of one context.
struct Stream {
  std::string name;
  StreamKind kind = StreamKind::nonblocking;
  int32_t context = 0;
};

enum class ActorKind : uint8_t { thread, agent };

// A host thread, or a reader or writer outside CUDA (a NIC, another process).
struct Actor {
  std::string name;
  ActorKind kind = ActorKind::thread;
};

struct Pool {
  std::string name;
};

enum class MemoryKind : uint8_t { device, pinned, pageable, managed };

// Where something happened, in issue order: `graph` invalid means Program::ops[index] (or
// ops.size() for "never"), else just before node `index` of that graph.
struct Point {
  GraphId graph;
  int32_t index = -1;
  bool known() const { return index >= 0; }
};

// A part of a lifetime's bytes that is contiguous in the program's address space. Recorded
// lifetimes have one; a case's `alloc … over` that reaches beyond the old end has two or more.
struct Piece {
  ByteRange range;
  uint64_t offset = 0;  // of range.begin from the lifetime's first byte
};

// One hand-out of a block. Buffers that live throughout have no alloc and no free point.
struct Lifetime {
  std::string name;
  uint64_t bytes = 0;
  std::vector<Piece> pieces;
  MemoryKind memory = MemoryKind::device;
  bool buffer = false;   // lives throughout
  bool live = false;     // output by declaration
  bool scratch = false;  // no output by declaration
  bool driver = false;   // handed out by the driver itself: see assumption driver-reuse
  // There from its allocation to its free as these stand in their streams, or as nodes in a graph:
  // a driver's pool or a graph's own memory. The free's stream may have the bytes next.
  bool stream_ordered = false;
  StreamId owner;  // the stream it was allocated on; invalid for buffers
  PoolId pool;
  Point alloc;
  Point free;  // from here the owner may be handed these bytes again
  OpId made;   // stream-ordered, outside graphs: a hidden record behind the allocation
  StackId alloc_stack;
  StackId free_stack;
  std::vector<OpId> use_records;  // allocator-made records of streams that were named by `uses`
};

// Another name for a part of a lifetime.
struct View {
  std::string name;
  LifetimeId lifetime;
  uint64_t begin = 0;  // bytes from the lifetime's first byte
  uint64_t end = 0;
};

enum class OpKind : uint8_t {
  kernel,
  copy,
  fill,
  callback,
  launch,
  record,
  wait,
  alloc,
  free,
  uses,
  touch,
  sync_stream,
  sync_event,
  sync_device,
  signal,
  await,
  empty,      // a node that does nothing but carry order
  child,      // a child graph node whose inside was not read
  unmodelled  // work or synchronisation that is not understood; its reason is a diagnostic
};

// When the call that issued a copy returned to its thread.
enum class HostReturn : uint8_t { at_once, after_source_read, after_completion };

struct Op {
  OpKind kind = OpKind::empty;
  HostReturn host_return = HostReturn::at_once;
  bool programmatic = false;   // launched with programmatic serialisation (pdl)
  bool unknown = false;        // may access more than is listed (reason `unknown-access`)
  bool params_unread = false;  // parameters could not be read whole (reason `params-only`)
  bool conditional = false;    // in the body of a conditional node: may run any number of times
  bool hidden = false;         // made by the allocator, not by the program: never reported
  bool order_unknown = false;  // order lost here: a foreign event, unmodelled synchronisation
  ActorId actor;               // the thread that issued it, or the agent
  StreamId stream;             // invalid for thread and agent actions
  NameId label;
  uint32_t access_begin = 0;
  uint32_t access_count = 0;
  OpId bound;           // wait, sync_event: the record; await: the signal; else invalid
  StreamId target;      // sync_stream: the stream that was waited for
  LifetimeId lifetime;  // alloc, free, uses
  GraphId graph;        // launch: the nodes that it runs (one graph per exec version)
  ExecId exec;          // launch: launches of one exec never overlap
  StackId stack;
  int64_t enter = 0;  // sequence numbers of the host call's entry and exit (recorded traces),
  int64_t exit = 0;   // else the line
};

enum class EdgeKind : uint8_t { full, programmatic, launch_order };

struct Edge {
  NodeId from;
  NodeId to;
  EdgeKind kind = EdgeKind::full;
};

enum class MarkKind : uint8_t { alloc, free };

// An allocator event inside a capture. `frontier`: the nodes after which the owner stream's next
// node would run if it were issued here; for a free of a lifetime that other streams `uses`, theirs
// as well.
struct Mark {
  MarkKind kind = MarkKind::alloc;
  LifetimeId lifetime;
  NodeId before;  // issue position: the next node issued (may be nodes.size())
  std::vector<NodeId> frontier;
};

// A captured or hand-built graph. Nodes stand in issue order, which need not be an order of the
// edges when a program sets edges by hand.
struct Graph {
  std::string name;
  std::vector<Op> nodes;
  std::vector<Access> accesses;
  std::vector<Edge> edges;
  std::vector<Mark> marks;
  Point begin;  // of the capture, among Program::ops
  Point end;
  bool fully_read = true;  // false: nodes or edges may be missing (reason in diagnostics)
  uint32_t recorded = 0;   // the recorder's number of this graph; 0 in cases
  // For node i its number there: a graph's own nodes count from 0 as it lists them, then those of
  // its child graphs do, one after the other and each in the same way. What closes a child has the
  // number of what opened it. -1: a child graph that was not read.
  std::vector<int32_t> recorded_nodes;
};

// One entry of a stack, innermost first.
struct Frame {
  std::string function;
  std::string file;
  int32_t line = 0;
  bool python = false;
};

struct Stack {
  std::vector<Frame> frames;
};

// Something a reader did not understand or could not keep. `reason` is one of the named reasons of
// docs/limits.md (`lost-records`, `unknown-access`, …); the verdict reads these.
struct Diagnostic {
  std::string reason;
  std::string text;
  int64_t count = 1;
  bool loses_order = false;  // order between ops may be missing: pairs across it are candidates
  int64_t from = INT64_MIN;  // the sequence numbers that it concerns
  int64_t to = INT64_MAX;
};

// A case's `expect` line, in the words of CASE-FORMAT.md.
enum class ExpectKind : uint8_t {
  clean,
  incomplete,
  hazard,
  others,
  witness,
  no_witness,
  fix_edge,
  fix_lifetime
};

struct Expectation {
  ExpectKind kind = ExpectKind::clean;
  std::string word;   // incomplete: the reason; hazard: RAW, WAR or WAW
  std::string first;  // hazard, fix_edge: label; fix_lifetime: the block's name
  std::string second;
  std::string on;   // empty when not given
  std::string cls;  // empty when not given
  int32_t line = 0;
};

// How a program was run: "driver" -> "580.159.04". By an allow-list of the recorder.
struct Provenance {
  std::string name;
  std::string value;
  bool operator==(const Provenance&) const = default;
};

// When a piece of work ran, where a recorder says it: an op outside graphs, or a node of a launch.
// Nanoseconds of one clock.
struct Timing {
  OpId op;      // the op, or the launch
  NodeId node;  // valid: of that launch
  int64_t begin = 0;
  int64_t end = 0;
};

struct Program {
  std::string source;  // what it was read from
  std::string device;  // for people: "NVIDIA H200, driver 580.159, CUDA 13.0"; empty for cases
  std::vector<Provenance> provenance;  // each name once
  bool recorded = false;   // threads are ordered as observed (assumption host-order-observed)
  bool host_seen = false;  // recorded programs: each access of the CPU is an op
  std::vector<std::string> names;
  std::vector<Stream> streams;
  std::vector<Actor> actors;
  std::vector<Pool> pools;
  std::vector<Lifetime> lifetimes;
  std::vector<View> views;
  std::vector<Op> ops;
  std::vector<Access> accesses;
  std::vector<Graph> graphs;
  std::vector<Stack> stacks;
  std::vector<Diagnostic> diagnostics;
  std::vector<Expectation> expectations;
  std::vector<Timing> timings;  // by op, then node; each once
  int32_t exec_count = 0;
  std::vector<uint32_t> recorded_execs;  // the recorder's number of each exec; empty in cases
};

inline std::span<const Access> accesses_of(const Program& program, const Op& op) {
  return {program.accesses.data() + op.access_begin, op.access_count};
}
inline std::span<const Access> accesses_of(const Graph& graph, const Op& op) {
  return {graph.accesses.data() + op.access_begin, op.access_count};
}
inline std::string_view label_of(const Program& program, const Op& op) {
  return op.label.valid() ? std::string_view(program.names[op.label.index()]) : std::string_view();
}

}  // namespace bohr

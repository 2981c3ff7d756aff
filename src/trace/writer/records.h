// SPDX-License-Identifier: Apache-2.0
// The records of the event log: what a recorder saw, one struct a kind. This header is the single
// definition of the format's fields: the log's encoding, the SQLite schema and their readers are
// all derived from `fields`, which names each field once. docs/trace-format.md explains them to
// users.
//
// It lives in a foreign process, so it depends on nothing. Identities (streams, events, execs,
// graphs, captures, threads, functions, stacks) are numbers that the recorder gave out and never
// used again, not handles, which drivers recycle. 0 means none. Strings are ids of the log's string
// table. Sequence numbers are process-wide, taken at the entry (`seq`) and exit (`exit`) of a call.
#pragma once

#include <cstdint>
#include <string>

#include "trace/writer/memory_records.h"
#include "trace/writer/record_types.h"

namespace bohr::trace {

struct String {
  static constexpr Kind kKind = Kind::string;
  static constexpr const char* kName = "string";
  uint32_t id = 0;
  std::string text;
  bool operator==(const String&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("id", s.id), v("text", s.text);
  }
};

struct Process {
  static constexpr Kind kKind = Kind::process;
  static constexpr const char* kName = "process";
  uint64_t pid = 0;
  uint64_t parent = 0;
  uint64_t start_unix_ns = 0;
  Text command;         // the program's name and, of an interpreter, what it runs; no arguments
  Text recorder;        // version of the recorder
  uint32_t driver = 0;  // as cuDriverGetVersion, e.g. 13000
  uint32_t cupti = 0;   // as cuptiGetVersion
  Text driver_text;     // e.g. "580.159.04"; empty when not known
  bool operator==(const Process&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("pid", s.pid), v("parent", s.parent), v("start_unix_ns", s.start_unix_ns);
    v("command", s.command), v("recorder", s.recorder), v("driver", s.driver);
    v("cupti", s.cupti), v("driver_text", s.driver_text);
  }
};

struct Device {
  static constexpr Kind kKind = Kind::device;
  static constexpr const char* kName = "device";
  uint32_t device = 0;
  Text name;
  uint64_t memory = 0;  // bytes
  bool operator==(const Device&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("device", s.device), v("name", s.name), v("memory", s.memory);
  }
};

struct Thread {
  static constexpr Kind kKind = Kind::thread;
  static constexpr const char* kName = "thread";
  uint32_t thread = 0;
  uint64_t os_id = 0;
  Text name;
  bool operator==(const Thread&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("thread", s.thread), v("os_id", s.os_id), v("name", s.name);
  }
};

// Innermost frame first; the four lists are of one length. Python frames have file and line; native
// ones a module as file and, as line, 0, with "+0x1f2" as function where no symbol was found.
struct Stack {
  static constexpr Kind kKind = Kind::stack;
  static constexpr const char* kName = "stack";
  uint32_t stack = 0;
  Numbers functions;  // string ids
  Numbers files;      // string ids
  Numbers lines;
  Bytes python;  // 1: a Python frame
  bool operator==(const Stack&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("stack", s.stack), v("functions", s.functions), v("files", s.files), v("lines", s.lines);
    v("python", s.python);
  }
};

struct Function {
  static constexpr Kind kKind = Kind::function;
  static constexpr const char* kName = "function";
  uint32_t function = 0;
  Text name;        // mangled
  Numbers offsets;  // of each parameter in the packed image, bytes
  Numbers sizes;
  bool layout_known = false;
  bool operator==(const Function&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("function", s.function), v("name", s.name), v("offsets", s.offsets), v("sizes", s.sizes);
    v("layout_known", s.layout_known);
  }
};

struct Framework {
  static constexpr Kind kKind = Kind::framework;
  static constexpr const char* kName = "framework";
  Text name;
  Text version;
  Text allocator;  // back-end: "native", "cudaMallocAsync", …
  Text settings;   // allow-listed allocator settings
  bool operator==(const Framework&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("name", s.name), v("version", s.version), v("allocator", s.allocator);
    v("settings", s.settings);
  }
};

// How the process ran: a library or a package that it loaded with its version, a variable of its
// environment or an option of its command line with its value. By allow-list.
struct Provenance {
  static constexpr Kind kKind = Kind::provenance;
  static constexpr const char* kName = "provenance";
  ProvenanceKind what = ProvenanceKind::library;
  Text name;
  Text value;
  bool operator==(const Provenance&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("what", s.what), v("name", s.name), v("value", s.value);
  }
};

// What the recorder sees beyond the calls of the driver. Without this record: nothing.
struct Scope {
  static constexpr Kind kKind = Kind::scope;
  static constexpr const char* kName = "scope";
  bool host_accesses = false;  // each access of the CPU to host memory is a HostAccess
  bool operator==(const Scope&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("host_accesses", s.host_accesses);
  }
};

struct Stream {
  static constexpr Kind kKind = Kind::stream;
  static constexpr const char* kName = "stream";
  uint64_t seq = 0;
  uint32_t stream = 0;
  uint32_t context = 0;
  uint32_t device = 0;
  StreamType type = StreamType::nonblocking;
  int32_t priority = 0;
  bool existed = false;  // made before recording began
  bool operator==(const Stream&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("stream", s.stream), v("context", s.context), v("device", s.device);
    v("type", s.type), v("priority", s.priority), v("existed", s.existed);
  }
};

struct StreamGone {
  static constexpr Kind kKind = Kind::stream_gone;
  static constexpr const char* kName = "stream_gone";
  uint64_t seq = 0;
  uint32_t stream = 0;
  bool operator==(const StreamGone&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("stream", s.stream);
  }
};

// What the program calls a stream, or (stream 0) the memory that it was handed at `address` by the
// call `seq`.
struct Name {
  static constexpr Kind kKind = Kind::name;
  static constexpr const char* kName = "name";
  uint64_t seq = 0;
  uint32_t stream = 0;
  uint64_t address = 0;
  Text text;
  bool operator==(const Name&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("stream", s.stream), v("address", s.address), v("text", s.text);
  }
};

// Where a function's code came from. `image` names what was kept of it beside the log; empty where
// nothing was.
struct Code {
  static constexpr Kind kKind = Kind::code;
  static constexpr const char* kName = "code";
  uint32_t function = 0;
  LayoutSource layout = LayoutSource::none;
  Text image;
  bool operator==(const Code&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("function", s.function), v("layout", s.layout), v("image", s.image);
  }
};

// What the program's own calls take for a stream, by which other tools name it.
struct StreamHandle {
  static constexpr Kind kKind = Kind::stream_handle;
  static constexpr const char* kName = "stream_handle";
  uint32_t stream = 0;
  uint64_t handle = 0;
  bool operator==(const StreamHandle&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("stream", s.stream), v("handle", s.handle);
  }
};

// When sequence numbers were taken: `seq` not before `unix_ns`, and each further one, which is so
// much above the one before, not before the time that is so much later. Only written where a
// history of an allocator may have to be placed by it.
struct Clock {
  static constexpr Kind kKind = Kind::clock;
  static constexpr const char* kName = "clock";
  uint64_t seq = 0;
  uint64_t unix_ns = 0;
  Numbers seqs;
  Numbers times;
  bool operator==(const Clock&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("unix_ns", s.unix_ns), v("seqs", s.seqs), v("times", s.times);
  }
};

// A kernel launched outside a capture. `params` is the packed image (offsets as in Function).
struct Kernel {
  static constexpr Kind kKind = Kind::kernel;
  static constexpr const char* kName = "kernel";
  Call call;
  uint32_t stream = 0;
  uint32_t function = 0;
  uint32_t grid_x = 0, grid_y = 0, grid_z = 0;
  uint32_t block_x = 0, block_y = 0, block_z = 0;
  uint32_t attributes = 0;
  ParamForm form = ParamForm::none;
  Bytes params;
  bool operator==(const Kernel&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("stream", s.stream), v("function", s.function);
    v("grid_x", s.grid_x), v("grid_y", s.grid_y), v("grid_z", s.grid_z);
    v("block_x", s.block_x), v("block_y", s.block_y), v("block_z", s.block_z);
    v("attributes", s.attributes), v("form", s.form), v("params", s.params);
  }
};

// Memory that a copy or set names: `height` rows of `width` bytes, `pitch` apart, in `depth` slices
// `slice` bytes apart. One-dimensional: height = depth = 1.
struct Copy {
  static constexpr Kind kKind = Kind::copy;
  static constexpr const char* kName = "copy";
  Call call;
  uint32_t stream = 0;
  uint64_t dst = 0;
  uint64_t src = 0;
  uint64_t width = 0, height = 1, depth = 1;
  uint64_t dst_pitch = 0, dst_slice = 0;
  uint64_t src_pitch = 0, src_slice = 0;
  Memory dst_memory = Memory::unknown;
  Memory src_memory = Memory::unknown;
  Return returned = Return::at_once;
  bool operator==(const Copy&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("stream", s.stream), v("dst", s.dst), v("src", s.src);
    v("width", s.width), v("height", s.height), v("depth", s.depth);
    v("dst_pitch", s.dst_pitch), v("dst_slice", s.dst_slice);
    v("src_pitch", s.src_pitch), v("src_slice", s.src_slice);
    v("dst_memory", s.dst_memory), v("src_memory", s.src_memory), v("returned", s.returned);
  }
};

struct Set {
  static constexpr Kind kKind = Kind::set;
  static constexpr const char* kName = "set";
  Call call;
  uint32_t stream = 0;
  uint64_t dst = 0;
  uint64_t width = 0, height = 1;  // bytes, rows
  uint64_t pitch = 0;
  Return returned = Return::at_once;
  bool operator==(const Set&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("stream", s.stream), v("dst", s.dst);
    v("width", s.width), v("height", s.height), v("pitch", s.pitch), v("returned", s.returned);
  }
};

struct HostFunc {
  static constexpr Kind kKind = Kind::host_func;
  static constexpr const char* kName = "host_func";
  Call call;
  uint32_t stream = 0;
  bool operator==(const HostFunc&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("stream", s.stream);
  }
};

// Work or synchronisation that the recorder saw and does not model. `synchronises`: order may be
// lost here.
struct Unmodelled {
  static constexpr Kind kKind = Kind::unmodelled;
  static constexpr const char* kName = "unmodelled";
  Call call;
  uint32_t stream = 0;
  Text api;
  bool synchronises = false;
  bool operator==(const Unmodelled&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("stream", s.stream), v("api", s.api), v("synchronises", s.synchronises);
  }
};

// The CPU changed a byte of this range. `call.seq` is when that was found out, just before the call
// that the finding thread had entered; which thread wrote is not known.
struct HostWrite {
  static constexpr Kind kKind = Kind::host_write;
  static constexpr const char* kName = "host_write";
  Call call;
  uint64_t address = 0;
  uint64_t bytes = 0;
  Memory memory = Memory::pinned;
  bool operator==(const HostWrite&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("address", s.address), v("bytes", s.bytes), v("memory", s.memory);
  }
};

// Bytes that work is known to touch: all that belong to one piece of work together say everything
// that it touches. `graph` not 0: node `node` of that graph; else the work of the call `seq`, which
// is a Kernel, HostFunc or HostAccess. `early`: before the grid-dependency wait of a programmatic
// launch.
struct AccessRecord {
  static constexpr Kind kKind = Kind::access;
  static constexpr const char* kName = "access";
  uint32_t graph = 0;
  uint32_t node = 0;
  uint64_t seq = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  Mode mode = Mode::read;
  Source source = Source::declared;
  bool early = false;
  bool operator==(const AccessRecord&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("graph", s.graph), v("node", s.node), v("seq", s.seq), v("address", s.address);
    v("bytes", s.bytes), v("mode", s.mode), v("source", s.source), v("early", s.early);
  }
};

// Versions of one event count from 1.
// When a piece of work ran, by a clock that all timings of the log share: that of the call `seq`,
// or, where that launched a graph, its node `node`. Nothing follows from it for what may happen.
struct Timing {
  static constexpr Kind kKind = Kind::timing;
  static constexpr const char* kName = "timing";
  uint64_t seq = 0;
  uint32_t node = 0;
  uint64_t begin = 0;  // nanoseconds
  uint64_t end = 0;
  bool operator==(const Timing&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("node", s.node), v("begin", s.begin), v("end", s.end);
  }
};

// A tensor map that the program encoded: whoever is given these bytes can reach `bytes` bytes from
// `address` on, and no others. 0: how far is not known.
struct TensorMap {
  static constexpr Kind kKind = Kind::tensor_map;
  static constexpr const char* kName = "tensor_map";
  Bytes map;
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool operator==(const TensorMap&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("map", s.map), v("address", s.address), v("bytes", s.bytes);
  }
};

struct EventRecord {
  static constexpr Kind kKind = Kind::event_record;
  static constexpr const char* kName = "event_record";
  Call call;
  uint32_t event = 0;
  uint64_t version = 0;
  uint32_t stream = 0;
  uint32_t capture = 0;   // not 0: part of that capture
  bool external = false;  // a node of the graph rather than an edge
  bool operator==(const EventRecord&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("event", s.event), v("version", s.version), v("stream", s.stream);
    v("capture", s.capture), v("external", s.external);
  }
};

// `version`: the newest record of the event when the wait was issued; 0 when never recorded.
struct EventWait {
  static constexpr Kind kKind = Kind::event_wait;
  static constexpr const char* kName = "event_wait";
  Call call;
  uint32_t event = 0;
  uint64_t version = 0;
  uint32_t stream = 0;
  uint32_t capture = 0;
  bool external = false;
  bool operator==(const EventWait&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("event", s.event), v("version", s.version), v("stream", s.stream);
    v("capture", s.capture), v("external", s.external);
  }
};

// Only ones that succeeded (a query: that found the work done).
struct HostSync {
  static constexpr Kind kKind = Kind::host_sync;
  static constexpr const char* kName = "host_sync";
  Call call;
  SyncKind what = SyncKind::stream;
  uint32_t stream = 0;
  uint32_t event = 0;
  uint64_t version = 0;
  uint32_t context = 0;
  bool operator==(const HostSync&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("what", s.what), v("stream", s.stream), v("event", s.event);
    v("version", s.version), v("context", s.context);
  }
};

// A thread's own access to host memory: what it touched are the AccessRecords of its call.
struct HostAccess {
  static constexpr Kind kKind = Kind::host_access;
  static constexpr const char* kName = "host_access";
  Call call;
  bool operator==(const HostAccess&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call);
  }
};

// Node `node` of `graph` is a conditional one with so many bodies: the graphs whose `parent` and
// `parent_node` it is, in the order of their numbers.
struct Conditional {
  static constexpr Kind kKind = Kind::conditional;
  static constexpr const char* kName = "conditional";
  uint32_t graph = 0;
  uint32_t node = 0;
  Condition condition = Condition::once;
  uint32_t bodies = 0;
  bool operator==(const Conditional&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("graph", s.graph), v("node", s.node), v("condition", s.condition), v("bodies", s.bodies);
  }
};

struct CaptureBegin {
  static constexpr Kind kKind = Kind::capture_begin;
  static constexpr const char* kName = "capture_begin";
  Call call;
  uint32_t capture = 0;
  uint32_t stream = 0;
  uint32_t mode = 0;  // as CUstreamCaptureMode
  bool operator==(const CaptureBegin&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("capture", s.capture), v("stream", s.stream), v("mode", s.mode);
  }
};

// `graph` 0: the capture failed.
struct CaptureEnd {
  static constexpr Kind kKind = Kind::capture_end;
  static constexpr const char* kName = "capture_end";
  Call call;
  uint32_t capture = 0;
  uint32_t stream = 0;
  uint32_t graph = 0;
  bool operator==(const CaptureEnd&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("capture", s.capture), v("stream", s.stream), v("graph", s.graph);
  }
};

// A graph as it was when it was read: at the end of its capture, or at instantiation for one that
// was built by hand. Its nodes and edges follow. `parent`: a child graph node's graph lies in
// node `parent_node` of graph `parent`.
struct Graph {
  static constexpr Kind kKind = Kind::graph;
  static constexpr const char* kName = "graph";
  uint64_t seq = 0;
  uint32_t graph = 0;
  uint32_t capture = 0;
  uint32_t nodes = 0;
  uint32_t edges = 0;
  uint32_t parent = 0;
  uint32_t parent_node = 0;
  Text name;
  bool complete = true;
  bool operator==(const Graph&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("graph", s.graph), v("capture", s.capture), v("nodes", s.nodes);
    v("edges", s.edges), v("parent", s.parent), v("parent_node", s.parent_node);
    v("name", s.name), v("complete", s.complete);
  }
};

// `type` as CUgraphNodeType (0 kernel, 1 copy, 2 set, 3 host, 4 child graph, 5 empty, …). `seq`,
// `thread`, `stack`, `stream`: of the captured call that made it (0 when not known). Only the
// fields of the type are filled; copy and set as in Copy and Set (a set's pitch is dst_pitch).
struct Node {
  static constexpr Kind kKind = Kind::node;
  static constexpr const char* kName = "node";
  uint32_t graph = 0;
  uint32_t index = 0;  // as cuGraphGetNodes lists them, from 0
  uint32_t type = 0;
  uint64_t seq = 0;
  uint32_t thread = 0;
  uint32_t stack = 0;
  uint32_t stream = 0;
  uint32_t function = 0;
  uint32_t grid_x = 0, grid_y = 0, grid_z = 0;
  uint32_t block_x = 0, block_y = 0, block_z = 0;
  uint32_t attributes = 0;
  ParamForm form = ParamForm::none;
  Bytes params;
  uint64_t dst = 0, src = 0;
  uint64_t width = 0, height = 1, depth = 1;
  uint64_t dst_pitch = 0, dst_slice = 0;
  uint64_t src_pitch = 0, src_slice = 0;
  Memory dst_memory = Memory::unknown;
  Memory src_memory = Memory::unknown;
  uint32_t child = 0;  // graph of a child graph node
  uint32_t event = 0;  // of external event nodes
  bool operator==(const Node&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("graph", s.graph), v("index", s.index), v("type", s.type), v("seq", s.seq);
    v("thread", s.thread), v("stack", s.stack), v("stream", s.stream), v("function", s.function);
    v("grid_x", s.grid_x), v("grid_y", s.grid_y), v("grid_z", s.grid_z);
    v("block_x", s.block_x), v("block_y", s.block_y), v("block_z", s.block_z);
    v("attributes", s.attributes), v("form", s.form), v("params", s.params);
    v("dst", s.dst), v("src", s.src);
    v("width", s.width), v("height", s.height), v("depth", s.depth);
    v("dst_pitch", s.dst_pitch), v("dst_slice", s.dst_slice);
    v("src_pitch", s.src_pitch), v("src_slice", s.src_slice);
    v("dst_memory", s.dst_memory), v("src_memory", s.src_memory);
    v("child", s.child), v("event", s.event);
  }
};

// Edges of one graph: lists of one length. `types` as CUgraphEdgeData packed: type | from_port << 8
// | to_port << 16.
struct Edges {
  static constexpr Kind kKind = Kind::edges;
  static constexpr const char* kName = "edges";
  uint32_t graph = 0;
  Numbers from;
  Numbers to;
  Numbers types;
  bool operator==(const Edges&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("graph", s.graph), v("from", s.from), v("to", s.to), v("types", s.types);
  }
};

struct Exec {
  static constexpr Kind kKind = Kind::exec;
  static constexpr const char* kName = "exec";
  Call call;
  uint32_t exec = 0;
  uint32_t graph = 0;
  uint64_t flags = 0;
  bool operator==(const Exec&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("exec", s.exec), v("graph", s.graph), v("flags", s.flags);
  }
};

// An exec was changed after instantiation. `graph` not 0: its nodes are from now on those of that
// graph record (a new version); 0: the change was not read.
struct ExecChange {
  static constexpr Kind kKind = Kind::exec_change;
  static constexpr const char* kName = "exec_change";
  Call call;
  uint32_t exec = 0;
  uint32_t graph = 0;
  Text api;
  bool operator==(const ExecChange&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("exec", s.exec), v("graph", s.graph), v("api", s.api);
  }
};

struct Launch {
  static constexpr Kind kKind = Kind::launch;
  static constexpr const char* kName = "launch";
  Call call;
  uint32_t exec = 0;
  uint32_t stream = 0;
  bool operator==(const Launch&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("exec", s.exec), v("stream", s.stream);
  }
};

struct ExecGone {
  static constexpr Kind kKind = Kind::exec_gone;
  static constexpr const char* kName = "exec_gone";
  uint64_t seq = 0;
  uint32_t exec = 0;
  bool operator==(const ExecGone&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("exec", s.exec);
  }
};

// `graph` is `base`, an earlier one, with so many nodes in the place of its own: the Node records
// of `graph` that follow. Their `seq` is of the call that set them; the rest of origins is the
// base's.
struct GraphVersion {
  static constexpr Kind kKind = Kind::graph_version;
  static constexpr const char* kName = "graph_version";
  uint64_t seq = 0;
  uint32_t graph = 0;
  uint32_t base = 0;
  uint32_t nodes = 0;
  bool operator==(const GraphVersion&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("graph", s.graph), v("base", s.base), v("nodes", s.nodes);
  }
};

struct Diagnostic {
  static constexpr Kind kKind = Kind::diagnostic;
  static constexpr const char* kName = "diagnostic";
  uint64_t seq = 0;
  Text reason;  // a named reason of docs/limits.md
  Text text;
  uint64_t count = 1;
  bool loses_order = false;
  uint64_t from = 0;  // sequence numbers it concerns
  uint64_t to = ~uint64_t{0};
  bool operator==(const Diagnostic&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("reason", s.reason), v("text", s.text), v("count", s.count);
    v("loses_order", s.loses_order), v("from", s.from), v("to", s.to);
  }
};

// The last record of a log that was closed in order.
struct End {
  static constexpr Kind kKind = Kind::end;
  static constexpr const char* kName = "end";
  uint64_t seq = 0;
  uint64_t lost = 0;  // records that could not be kept
  bool operator==(const End&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("lost", s.lost);
  }
};

// Calls visit(R{}) once for each kind, in the order of their numbers.
template <class Visitor>
void for_each_kind(Visitor&& visit) {
  visit(String{}), visit(Process{}), visit(Device{}), visit(Thread{}), visit(Stack{});
  visit(Function{}), visit(Framework{}), visit(Provenance{}), visit(Scope{}), visit(Stream{});
  visit(StreamGone{}), visit(Name{}), visit(Code{}), visit(StreamHandle{}), visit(Clock{}),
      visit(Kernel{}), visit(Copy{});
  visit(Set{}), visit(HostFunc{}), visit(Unmodelled{}), visit(HostWrite{});
  visit(AccessRecord{}), visit(Timing{}), visit(TensorMap{}), visit(EventRecord{});
  visit(EventWait{}), visit(HostSync{}), visit(HostAccess{}), visit(Conditional{});
  visit(CaptureBegin{}), visit(CaptureEnd{}), visit(Graph{}), visit(Node{}), visit(Edges{});
  visit(Exec{}), visit(ExecChange{}), visit(Launch{}), visit(ExecGone{}), visit(GraphVersion{});
  visit(MemAlloc{}), visit(MemFree{}), visit(Mapping{}), visit(BlockAlloc{}), visit(BlockFree{});
  visit(History{}), visit(Segment{}), visit(EntryCall{}), visit(Diagnostic{}), visit(End{});
}

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory (cuMemAllocAsync): the driver hands freed bytes to another stream only
// behind the point of the free in its own, by waits that no call shows. They are put in as hidden
// records and waits, which is what the driver does.
#include "trace/import_lifetimes.h"

#include <algorithm>

#include "trace/import_timeline.h"

namespace bohr::trace {

namespace {

MemoryKind kind_of(const MemAlloc& record) {
  if (record.memory != Memory::unknown) return memory_kind(record.memory);
  if (record.layer == Layer::host || record.layer == Layer::host_register)
    return MemoryKind::pinned;
  return record.layer == Layer::managed ? MemoryKind::managed : MemoryKind::device;
}

const char* word(Layer layer) {
  switch (layer) {
    case Layer::host:
      return "pinned";
    case Layer::host_register:
      return "registered";
    case Layer::managed:
      return "managed";
    case Layer::mapped:
      return "mapped";
    case Layer::ipc:
      return "shared";
    default:
      return "allocation";
  }
}

bool is_library(const std::string& file) {
  return file.find("/site-packages/") != std::string::npos ||
         file.find("/dist-packages/") != std::string::npos || file.substr(0, 1) == "<";
}

// Where the program's own Python code stood: "step.py:12". Empty without Python frames.
std::string place_of(const bohr::Stack& stack) {
  const Frame* best = nullptr;
  for (const Frame& frame : stack.frames) {
    if (!frame.python) continue;
    if (!best || (is_library(best->file) && !is_library(frame.file))) best = &frame;
  }
  if (!best) return {};
  const size_t slash = best->file.rfind('/');
  const std::string file = slash == std::string::npos ? best->file : best->file.substr(slash + 1);
  return file + ":" + std::to_string(best->line);
}

}  // namespace

Lifetimes::Lifetimes(ImportState& state, Captures& captures, const BlockLives& blocks)
    : state_(state),
      captures_(captures),
      blocks_(blocks),
      aliases_(state.log, state.index),
      of_block_(blocks.lives.size()) {}

std::string Lifetimes::name(StackId stack, const char* what, uint64_t bytes) {
  std::string place;
  if (stack.valid()) place = place_of(state_.program.stacks[stack.index()]);
  if (place.empty())
    place = std::string(what) + " " + std::to_string(state_.program.lifetimes.size() + 1);
  return place + " (" + size_text(bytes) + ")";
}

// The program's own name for it wins; of equal ones the second gets a number.
void Lifetimes::rename(uint64_t address, uint64_t seq, Lifetime* lifetime) {
  const Name* name = memory_name(state_.index, address, seq);
  if (!name) return;
  lifetime->name = text_of(state_.log, name->text.id);
  const int32_t times = ++named_[lifetime->name];
  if (times > 1) lifetime->name += "#" + std::to_string(times);
}

Point Lifetimes::program_point() const {
  return {GraphId(), static_cast<int32_t>(state_.program.ops.size())};
}

OpId Lifetimes::push(const Op& op) {
  const OpId id(state_.program.ops.size());
  state_.program.ops.push_back(op);
  return id;
}

Op Lifetimes::allocator_op(OpKind kind, const Call& call, uint64_t seq, StreamId stream,
                           LifetimeId lifetime) {
  Op op;
  op.kind = kind;
  op.actor = state_.tables.thread(call.thread);
  op.stream = stream;
  op.lifetime = lifetime;
  op.stack = state_.tables.stack(call.stack);
  op.enter = op.exit = to_place(seq);
  return op;
}

// Where one lifetime takes another's bytes without a free in between, the old one ends here.
void Lifetimes::end_evicted(const std::vector<LifetimeId>& evicted, GraphId graph) {
  for (const LifetimeId id : evicted) {
    Lifetime& old = state_.program.lifetimes[id.index()];
    const bool same_graph = graph.valid() && old.alloc.graph == graph;
    old.free = same_graph ? Point{graph, captures_.next_node(graph).value()} : program_point();
  }
}

void Lifetimes::begin_known_segments() {
  std::vector<ByteRange> allocated;
  for (const Record& record : state_.log.records)
    if (const MemAlloc* alloc = std::get_if<MemAlloc>(&record))
      allocated.push_back({alloc->address, alloc->address + alloc->bytes});
  join_overlapping(&allocated);
  for (const Segment* segment : state_.index.segments) {
    const ByteRange range{segment->address, segment->address + segment->bytes};
    if (any_overlaps(allocated, range) || state_.memory.owner(range.begin).lifetime.valid())
      continue;
    Lifetime lifetime;
    lifetime.name = name(StackId(), "segment", segment->bytes);
    lifetime.buffer = true;
    lifetime.pool = state_.tables.block_pool(segment->pool_a, segment->pool_b);
    std::vector<LifetimeId> evicted;
    state_.memory.begin_allocation(range.begin, segment->bytes, std::move(lifetime), 0, &evicted);
  }
}

// Invalid where no lifetime begins: it is no range, or another address of memory that has one.
LifetimeId Lifetimes::begin_driver(const MemAlloc& record, Lifetime lifetime, uint64_t seq) {
  std::vector<LifetimeId> evicted;
  uint64_t offset = 0;
  SharedMemory* shared = aliases_.of(record, &offset);
  LifetimeId id;
  if (!shared) {
    id = state_.memory.begin_allocation(record.address, record.bytes, std::move(lifetime), seq,
                                        &evicted);
    if (id.valid() && record.layer == Layer::mapped) state_.memory.mark_mapped(id);
  } else if (!shared->lifetime.valid()) {
    id = shared->lifetime = state_.memory.begin_shared(shared->place, std::move(lifetime));
    shared_[id] = shared;
  }
  if (shared)
    state_.memory.show(shared->lifetime, {record.address, record.address + record.bytes},
                       offset - shared->first, &evicted);
  end_evicted(evicted, GraphId());
  return id;
}

// One of its addresses was unmapped; it goes with the last, also with one that is mapped later.
bool Lifetimes::still_mapped(LifetimeId id) {
  const auto shared = shared_.find(id);
  return shared != shared_.end() && --shared->second->mappings > 0;
}

void Lifetimes::begin(const MemAlloc& record) {
  const bool ordered = record.layer == Layer::stream_ordered;
  if (ordered && captures_.capturing(record.stream)) return;  // a node of the graph
  if (record.layer == Layer::ipc)
    state_.diagnostics.add("peer-communication", "memory that is shared with other processes", 0);
  const uint64_t seq = returned_at(record.call);
  const StreamId stream = ordered ? state_.tables.stream(record.stream, seq) : StreamId();
  Lifetime lifetime;
  lifetime.alloc_stack = state_.tables.stack(record.call.stack);
  lifetime.name = name(lifetime.alloc_stack, word(record.layer), record.bytes);
  rename(record.address, record.call.seq, &lifetime);
  lifetime.memory = kind_of(record);
  lifetime.driver = !ordered;
  lifetime.stream_ordered = ordered;
  lifetime.owner = stream;
  lifetime.pool = ordered ? state_.tables.driver_pool(record.pool) : PoolId();
  const LifetimeId id = begin_driver(record, std::move(lifetime), seq);
  if (!id.valid()) return;
  const Op op = allocator_op(OpKind::alloc, record.call, seq, stream, id);
  if (ordered) wait_for_freed(op, {record.address, record.address + record.bytes});
  state_.program.lifetimes[id.index()].alloc = program_point();
  push(op);
  if (stream.valid()) note_made(op);
}

// Work on other streams has to come behind this point of the allocation's own.
void Lifetimes::note_made(const Op& alloc) {
  Op record = alloc;
  record.kind = OpKind::record;
  record.hidden = true;
  record.lifetime = LifetimeId();
  record.label = state_.tables.name("allocation");
  state_.program.lifetimes[alloc.lifetime.index()].made = push(record);
}

void Lifetimes::end(const MemFree& record) {
  if (record.layer == Layer::stream_ordered && captures_.capturing(record.stream)) return;
  const LifetimeId id = state_.memory.end_allocation(record.address);
  if (!id.valid() || still_mapped(id)) return;
  const StreamId stream = record.layer == Layer::stream_ordered
                              ? state_.tables.stream(record.stream, record.call.seq)
                              : StreamId();
  Lifetime& lifetime = state_.program.lifetimes[id.index()];
  lifetime.buffer = false;
  lifetime.free = program_point();
  lifetime.free_stack = state_.tables.stack(record.call.stack);
  Op op = allocator_op(OpKind::free, record.call, record.call.seq, stream, id);
  op.exit = to_place(std::max(record.call.seq, record.call.exit));
  push(op);
  if (stream.valid()) note_freed(op);
}

void Lifetimes::note_freed(const Op& free) {
  const ByteRange range = state_.program.lifetimes[free.lifetime.index()].pieces.front().range;
  Op record = free;
  record.kind = OpKind::record;
  record.hidden = true;
  record.lifetime = LifetimeId();
  freed_[range.begin] = {range.end, push(record), free.stream};
}

void Lifetimes::wait_for_freed(const Op& alloc, ByteRange range) {
  auto it = freed_.lower_bound(range.begin);
  if (it != freed_.begin() && std::prev(it)->second.end > range.begin) --it;
  while (it != freed_.end() && it->first < range.end) {
    if (it->second.stream != alloc.stream) {
      Op wait = alloc;
      wait.kind = OpKind::wait;
      wait.hidden = true;
      wait.lifetime = LifetimeId();
      wait.bound = it->second.record;
      push(wait);
    }
    const uint64_t begin = it->first;
    const Freed rest = it->second;
    it = freed_.erase(it);
    if (begin < range.begin) freed_[begin] = {range.begin, rest.record, rest.stream};
    if (rest.end > range.end) {
      freed_[range.end] = rest;
      break;
    }
  }
}

void Lifetimes::begin_block(uint32_t life) {
  const BlockLife& block = blocks_.lives[life];
  const History& described = *block.described;
  const uint64_t seq = block.alloc->call.seq;
  const StreamId owner = state_.tables.stream(described.stream, seq);
  Lifetime lifetime;
  lifetime.alloc_stack = state_.tables.stack(described.stack);
  if (!lifetime.alloc_stack.valid())
    lifetime.alloc_stack = state_.tables.stack(block.alloc->call.stack);
  lifetime.name = name(lifetime.alloc_stack, "block", described.bytes);
  rename(described.address, seq, &lifetime);
  lifetime.owner = owner;
  lifetime.pool = state_.tables.block_pool(described.pool_a, described.pool_b);
  std::vector<LifetimeId> evicted;
  const LifetimeId id = state_.memory.begin_block(described.address, described.bytes,
                                                  std::move(lifetime), seq, &evicted);
  of_block_[life] = id;
  if (!id.valid()) return;
  const GraphId graph = captures_.graph_of(described.stream);
  end_evicted(evicted, graph);
  Point& alloc = state_.program.lifetimes[id.index()].alloc;
  if (graph.valid()) {
    alloc = {graph, captures_.next_node(graph).value()};
    captures_.mark(MarkKind::alloc, id, described.stream, seq);
  } else {
    alloc = program_point();
    push(allocator_op(OpKind::alloc, block.alloc->call, seq, owner, id));
  }
}

void Lifetimes::end_block(uint32_t life) {
  const BlockLife& block = blocks_.lives[life];
  const LifetimeId id = of_block_[life];
  if (!id.valid()) return;
  const uint32_t stream = block.free_stream != 0 ? block.free_stream : block.described->stream;
  const GraphId graph = captures_.graph_of(stream);
  Lifetime& lifetime = state_.program.lifetimes[id.index()];
  const bool in_graph = graph.valid() && lifetime.alloc.graph == graph;
  const bool stays_of_graph = lifetime.alloc.graph.valid() && !in_graph;
  if (!state_.memory.end_block(block.alloc->address, id, stays_of_graph)) return;
  lifetime.free_stack = state_.tables.stack(block.free_stack);
  // Some allocators let the stream that a block is given back on have its bytes next.
  lifetime.owner = state_.tables.stream(stream, block.free_seq);
  if (in_graph) {
    lifetime.free = {graph, captures_.next_node(graph).value()};
    captures_.mark(MarkKind::free, id, stream, block.free_seq);
    return;
  }
  lifetime.free = program_point();
  Call call;
  call.thread = block.free_thread;
  call.stack = block.free_stack;
  push(allocator_op(OpKind::free, call, block.free_seq, lifetime.owner, id));
}

// The memory is there behind the node that allocates it, and gone behind the one that frees it.
void Lifetimes::node(GraphId graph, NodeId node, const Node& record) {
  if (record.dst == 0) {
    state_.diagnostics.add("unknown-allocation", "memory nodes whose address was not read",
                           record.seq);
    return;
  }
  if (record.type == kNodeMemAlloc)
    begin_in_graph(graph, node, record);
  else
    end_in_graph(graph, node, record);
}

void Lifetimes::begin_in_graph(GraphId graph, NodeId node, const Node& record) {
  const NodeId behind(node.value() + 1);
  Lifetime lifetime;
  lifetime.alloc_stack = state_.tables.stack(record.stack);
  lifetime.name = name(lifetime.alloc_stack, "graph memory", record.width);
  lifetime.owner = state_.tables.stream(record.stream, record.seq);
  lifetime.stream_ordered = true;
  lifetime.alloc = {graph, behind.value()};
  std::vector<LifetimeId> evicted;
  const LifetimeId id = state_.memory.begin_allocation(record.dst, record.width,
                                                       std::move(lifetime), record.seq, &evicted);
  end_evicted(evicted, graph);
  if (id.valid())
    state_.program.graphs[graph.index()].marks.push_back({MarkKind::alloc, id, behind, {node}});
}

// A node that frees what its graph did not allocate does so whenever it is launched, which is not
// followed: the memory is taken to stay.
void Lifetimes::end_in_graph(GraphId graph, NodeId node, const Node& record) {
  const LifetimeId id = state_.memory.allocation_at(record.dst);
  if (!id.valid()) return;
  Lifetime& lifetime = state_.program.lifetimes[id.index()];
  if (lifetime.alloc.graph != graph) {
    state_.diagnostics.add("graph-memory-nodes", "nodes that free memory of other origin",
                           record.seq);
    return;
  }
  state_.memory.end_allocation(record.dst);
  const NodeId behind(node.value() + 1);
  lifetime.free_stack = state_.tables.stack(record.stack);
  lifetime.free = {graph, behind.value()};
  state_.program.graphs[graph.index()].marks.push_back({MarkKind::free, id, behind, {node}});
}

void settle_graph_memory(ImportState& state) {
  std::vector<int64_t> launches(state.program.graphs.size(), 0);
  for (const Op& op : state.program.ops)
    if (op.kind == OpKind::launch && op.graph.valid()) ++launches[op.graph.index()];
  for (const Lifetime& lifetime : state.program.lifetimes) {
    const GraphId graph = lifetime.alloc.graph;
    if (!lifetime.stream_ordered || !graph.valid() || lifetime.free.graph == graph) continue;
    if (launches[graph.index()] > 1)
      state.diagnostics.add("graph-memory-nodes",
                            "memory that outlives the launches that allocate it", 0);
  }
}

}  // namespace bohr::trace

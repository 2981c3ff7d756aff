// SPDX-License-Identifier: Apache-2.0
// Reads a graph whole: its nodes in the driver's order, all edges with their data, child graphs
// and bodies of conditional nodes before the graph that holds them. The record of a graph comes
// before those of its nodes and says whether all was read, so the nodes are kept until then. Done
// at the end of a capture, because frameworks destroy the template right after instantiating it,
// and at instantiation for graphs built by hand.
//
// The driver is asked with no lock of ours held; a program that changes a graph while another
// thread ends its capture breaks the driver's own rules.
#include <algorithm>
#include <cstring>

#include "agent/copies.h"
#include "agent/graphs.h"
#include "agent/node_records.h"
#include "agent/pinned_copies.h"
#include "agent/recorder.h"

namespace bohr::agent {
namespace {

constexpr int kMaxDepth = 16;

uint32_t read_graph_record(Recorder& r, CUgraph graph, uint32_t capture, uint32_t parent,
                           uint32_t parent_node, int depth, LaunchEffects* effects,
                           const NodeOrigin& inherited, patch::ChildGraph* read);

struct Reader {
  Recorder& r;
  uint32_t graph = 0;
  uint32_t capture = 0;
  int depth = 0;
  LaunchEffects* effects = nullptr;  // of the graph and its children
  bool complete = true;
  bool allocates = false;
  NodeOrigin inherited = {};  // of the node that holds this graph: its nodes have none of their own
  patch::ChildGraph read = {};  // its children only where repairs are to be applied
  std::vector<trace::Conditional> conditionals = {};
  std::vector<trace::AccessRecord> accesses = {};
};

uint32_t kernel_attributes(Recorder& r, CUgraphNode node) {
  uint32_t bits = 0;
  CUlaunchAttributeValue value;
  std::memset(&value, 0, sizeof value);
  if (r.driver.cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value) ==
          CUDA_SUCCESS &&
      value.cooperative) {
    bits |= trace::kAttributeCooperative;
  }
  std::memset(&value, 0, sizeof value);
  if (r.driver.cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value) ==
          CUDA_SUCCESS &&
      value.clusterDim.x > 0) {
    bits |= trace::kAttributeCluster;
  }
  std::memset(&value, 0, sizeof value);
  if (r.driver.cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
                                             &value) == CUDA_SUCCESS &&
      value.deviceUpdatableKernelNode.deviceUpdatable) {
    bits |= trace::kAttributeDeviceUpdatable;
  }
  return bits;
}

bool read_kernel(Reader& reader, CUgraphNode node, trace::Node* out) {
  CUDA_KERNEL_NODE_PARAMS params;
  std::memset(&params, 0, sizeof params);
  if (reader.r.driver.cuGraphKernelNodeGetParams_v2(node, &params) != CUDA_SUCCESS) return false;
  fill_kernel(reader.r, params, out);
  out->attributes = kernel_attributes(reader.r, node);
  return true;
}

bool read_copy(Reader& reader, CUgraphNode node, trace::Node* out) {
  CUDA_MEMCPY3D copy;
  std::memset(&copy, 0, sizeof copy);
  if (reader.r.driver.cuGraphMemcpyNodeGetParams(node, &copy) != CUDA_SUCCESS) return false;
  const CopyShape shape = shape_of(reader.r, copy);
  fill_copy(shape, out);
  pinned_copy_node(reader.r, shape, &reader.effects->pinned);
  return true;
}

bool read_set(Reader& reader, CUgraphNode node, trace::Node* out) {
  CUDA_MEMSET_NODE_PARAMS set;
  std::memset(&set, 0, sizeof set);
  if (reader.r.driver.cuGraphMemsetNodeGetParams(node, &set) != CUDA_SUCCESS) return false;
  fill_set(reader.r, set, out);
  return true;
}

bool read_child(Reader& reader, CUgraphNode node, trace::Node* out) {
  CUgraph child = nullptr;
  if (reader.depth >= kMaxDepth ||
      reader.r.driver.cuGraphChildGraphNodeGetGraph(node, &child) != CUDA_SUCCESS) {
    return false;
  }
  patch::ChildGraph inside{out->index, {}, {}};
  out->child =
      read_graph_record(reader.r, child, reader.capture, reader.graph, out->index, reader.depth + 1,
                        reader.effects, {out->seq, out->thread, out->stack, out->stream}, &inside);
  if (reader.r.applying) reader.read.children.push_back(std::move(inside));
  return out->child != 0;
}

// Bodies are read as children are, and belong to the node by their records' parent.
bool read_conditional(Reader& reader, CUgraphNode node, trace::Node* out) {
  const ConditionalNode known = conditional_node(reader.r, node);
  trace::Conditional record;
  record.graph = reader.graph;
  record.node = out->index;
  record.condition = known.condition;
  record.bodies = static_cast<uint32_t>(known.bodies.size());
  if (known.bodies.empty() || reader.depth >= kMaxDepth) return false;
  bool whole = true;
  for (const CUgraph body : known.bodies) {
    whole = read_graph_record(reader.r, body, 0, reader.graph, out->index, reader.depth + 1,
                              reader.effects, {out->seq, out->thread, out->stack, out->stream},
                              nullptr) != 0 &&
            whole;
  }
  reader.conditionals.push_back(record);
  return whole;
}

// The values that a batch waits for or writes; barriers and flushes touch none. What they order is
// not known, so that both count as atomic: one against the other is how it is meant.
bool read_batch(Reader& reader, CUgraphNode node, trace::Node* out) {
  const auto get = reader.r.driver.cuGraphBatchMemOpNodeGetParams;
  CUDA_BATCH_MEM_OP_NODE_PARAMS params;
  std::memset(&params, 0, sizeof params);
  if (!get || get(node, &params) != CUDA_SUCCESS) return false;
  for (unsigned i = 0; i < params.count; ++i) {
    const CUstreamBatchMemOpParams& op = params.paramArray[i];
    const bool waits = op.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
                       op.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
    const bool writes = op.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
                        op.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
    if (!waits && !writes) continue;
    out->attributes |= waits ? trace::kAttributeWaitsForValue : trace::kAttributeWritesValue;
    trace::AccessRecord access;
    access.graph = reader.graph;
    access.node = out->index;
    access.address = waits ? op.waitValue.address : op.writeValue.address;
    access.bytes = op.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
                           op.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64
                       ? 8
                       : 4;
    access.mode = trace::Mode::atomic;
    if (writes) pinned_unwatched(reader.r, {access.address, access.address + access.bytes});
    reader.accesses.push_back(access);
  }
  return true;
}

bool read_event(Reader& reader, CUgraphNode node, bool record, trace::Node* out) {
  Recorder& r = reader.r;
  CUevent event = nullptr;
  const CUresult result = record ? r.driver.cuGraphEventRecordNodeGetEvent(node, &event)
                                 : r.driver.cuGraphEventWaitNodeGetEvent(node, &event);
  if (result != CUDA_SUCCESS) return false;
  out->event = newest_version(r, event).event;
  if (record) reader.effects->records.push_back(event);
  return true;
}

// Allocation nodes: their address and size as dst and width, so that accesses find a home.
bool read_memory(Reader& reader, CUgraphNode node, bool alloc, trace::Node* out) {
  Recorder& r = reader.r;
  if (alloc) {
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    std::memset(&params, 0, sizeof params);
    if (r.driver.cuGraphMemAllocNodeGetParams(node, &params) != CUDA_SUCCESS) return false;
    out->dst = params.dptr;
    out->width = params.bytesize;
  } else {
    CUdeviceptr pointer = 0;
    if (r.driver.cuGraphMemFreeNodeGetParams(node, &pointer) != CUDA_SUCCESS) return false;
    out->dst = pointer;
  }
  reader.allocates = true;
  return true;
}

// False: the node's inside was not read, and the graph says that it is not complete.
bool read_inside(Reader& reader, CUgraphNode node, trace::Node* out) {
  switch (out->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return read_kernel(reader, node, out);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return read_copy(reader, node, out);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return read_set(reader, node, out);
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return read_child(reader, node, out);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return read_event(reader, node, true, out);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return read_event(reader, node, false, out);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return read_memory(reader, node, true, out);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return read_memory(reader, node, false, out);
    case CU_GRAPH_NODE_TYPE_HOST:
      reader.effects->pinned.calls_host = true;
      return true;
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return true;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return read_batch(reader, node, out);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      if (read_conditional(reader, node, out)) return true;
      diagnose(reader.r, "unmodelled-node", "a conditional node whose bodies were not read");
      return false;
    default:
      diagnose(reader.r, "unmodelled-node",
               "graph node of type " + std::to_string(out->type) + " is not modelled");
      return false;
  }
}

NodeOrigin origin_of(const Reader& reader, CUgraph graph, CUgraphNode node) {
  std::lock_guard lock(reader.r.mutex);
  auto state = reader.r.graphs.templates.find(graph);
  if (state == reader.r.graphs.templates.end()) return reader.inherited;
  auto found = state->second.origins.find(node);
  return found == state->second.origins.end() ? reader.inherited : found->second;
}

void read_node(Reader& reader, CUgraph graph, CUgraphNode node, uint32_t index) {
  Recorder& r = reader.r;
  trace::Node out;
  out.graph = reader.graph;
  out.index = index;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  if (r.driver.cuGraphNodeGetType(node, &type) != CUDA_SUCCESS) reader.complete = false;
  out.type = static_cast<uint32_t>(type);
  const NodeOrigin origin = origin_of(reader, graph, node);
  out.seq = origin.seq;
  out.thread = origin.thread;
  out.stack = origin.stack;
  out.stream = origin.stream;
  if (!read_inside(reader, node, &out)) reader.complete = false;
  reader.read.nodes.push_back(std::move(out));
}

uint32_t read_graph_record(Recorder& r, CUgraph graph, uint32_t capture, uint32_t parent,
                           uint32_t parent_node, int depth, LaunchEffects* effects,
                           const NodeOrigin& inherited, patch::ChildGraph* read) {
  size_t count = 0;
  if (r.driver.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS) return 0;
  std::vector<CUgraphNode> nodes(count);
  if (count && r.driver.cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return 0;

  Reader reader{r, 0, capture, depth, effects};
  reader.inherited = inherited;
  {
    std::lock_guard lock(r.mutex);
    reader.graph = ++r.graphs.last_graph;
  }
  trace::Edges edges;
  edges.graph = reader.graph;
  reader.complete = read_edges(r, graph, nodes, &edges);
  for (size_t i = 0; i < count; ++i) read_node(reader, graph, nodes[i], static_cast<uint32_t>(i));
  apply_to(r, graph, depth > 0, nodes, reader.read, &edges);

  trace::Graph record;
  record.seq = r.tick();
  record.graph = reader.graph;
  record.capture = capture;
  record.nodes = static_cast<uint32_t>(count);
  record.edges = static_cast<uint32_t>(edges.from.size());
  record.parent = parent;
  record.parent_node = parent_node;
  record.complete = reader.complete;
  r.log->append(record);
  for (const trace::Node& node : reader.read.nodes) r.log->append(node);
  for (const trace::Conditional& node : reader.conditionals) r.log->append(node);
  for (const trace::AccessRecord& access : reader.accesses) r.log->append(access);
  r.log->append(edges);
  if (!reader.complete) stop_watching_pinned(r, "a graph was not read whole");
  if (reader.allocates) {
    diagnose(r, "graph-memory-nodes", "a graph allocates or frees memory in its nodes");
  }
  if (read) {
    read->nodes = std::move(reader.read.nodes);
    read->children = std::move(reader.read.children);
  }
  return reader.graph;
}

std::shared_ptr<const NodeHandles> handles_of(Recorder& r, CUgraph graph) {
  size_t count = 0;
  if (r.driver.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS) return nullptr;
  std::vector<CUgraphNode> nodes(count);
  if (count && r.driver.cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS)
    return nullptr;
  auto handles = std::make_shared<NodeHandles>();
  for (size_t i = 0; i < count; ++i) (*handles)[nodes[i]] = static_cast<uint32_t>(i);
  return handles;
}

}  // namespace

bool read_edges(Recorder& r, CUgraph graph, const std::vector<CUgraphNode>& nodes,
                trace::Edges* out) {
  size_t count = 0;
  if (r.driver.cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &count) != CUDA_SUCCESS) {
    return false;
  }
  if (count == 0) return true;
  std::vector<CUgraphNode> from(count), to(count);
  std::vector<CUgraphEdgeData> data(count);
  if (r.driver.cuGraphGetEdges_v2(graph, from.data(), to.data(), data.data(), &count) !=
      CUDA_SUCCESS) {
    return false;
  }
  std::unordered_map<CUgraphNode, uint64_t> index;
  for (size_t i = 0; i < nodes.size(); ++i) index[nodes[i]] = i;
  for (size_t i = 0; i < count; ++i) {
    if (!index.count(from[i]) || !index.count(to[i])) return false;
    out->from.push_back(index[from[i]]);
    out->to.push_back(index[to[i]]);
    out->types.push_back(data[i].type | uint64_t{data[i].from_port} << 8 |
                         uint64_t{data[i].to_port} << 16);
  }
  return true;
}

uint32_t read_graph(Recorder& r, CUgraph graph, uint32_t capture) {
  uint64_t edits = 0;
  {
    std::lock_guard lock(r.mutex);
    edits = r.graphs.edits;
    const TemplateState& state = r.graphs.templates[graph];
    if (state.number && state.edits == edits) return state.number;
  }
  keep_live_blocks(r);
  LaunchEffects effects;
  const uint32_t number = read_graph_record(r, graph, capture, 0, 0, 0, &effects, {}, nullptr);
  auto work = work_of(r, graph);
  auto handles = handles_of(r, graph);
  const bool none =
      effects.records.empty() && effects.pinned.sources.empty() && !effects.pinned.calls_host;
  std::lock_guard lock(r.mutex);
  TemplateState& state = r.graphs.templates[graph];
  state.number = number;
  state.edits = edits;
  state.work = std::move(work);
  state.handles = std::move(handles);
  state.effects = none ? nullptr : std::make_shared<const LaunchEffects>(std::move(effects));
  return number;
}

}  // namespace bohr::agent

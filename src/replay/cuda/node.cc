// SPDX-License-Identifier: Apache-2.0
// A kernel is launched with the attributes that its node had. What only makes sense between nodes
// (programmatic edges) is left out: alone on a stream a kernel waits for nothing.
#include "replay/cuda/node.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

namespace bohr::replay::cuda {

namespace {

constexpr int kDeepestChild = 16;  // as in the log

// Attributes of nodes that change what a launch does or whether it is possible.
constexpr CUlaunchAttributeID kAttributes[] = {
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
    CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN};

// Whether an attribute says something: zeros are what a launch does anyway.
bool says_something(const CUlaunchAttribute& attribute) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      return attribute.value.accessPolicyWindow.num_bytes > 0;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      return attribute.value.cooperative != 0;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      return attribute.value.clusterDim.x > 0;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return attribute.value.clusterSchedulingPolicyPreference !=
             CU_CLUSTER_SCHEDULING_POLICY_DEFAULT;
    default:
      return true;
  }
}

bool is_device_updatable(const Driver& driver, CUgraphNode node) {
  CUlaunchAttributeValue value;
  std::memset(&value, 0, sizeof value);
  return driver.cuGraphKernelNodeGetAttribute(
             node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value) == CUDA_SUCCESS &&
         value.deviceUpdatableKernelNode.deviceUpdatable != 0;
}

std::vector<CUlaunchAttribute> attributes_of(const Driver& driver, CUgraphNode node) {
  std::vector<CUlaunchAttribute> attributes;
  for (const CUlaunchAttributeID id : kAttributes) {
    CUlaunchAttribute attribute;
    std::memset(&attribute, 0, sizeof attribute);
    attribute.id = id;
    if (driver.cuGraphKernelNodeGetAttribute(node, id, &attribute.value) == CUDA_SUCCESS &&
        says_something(attribute))
      attributes.push_back(attribute);
  }
  return attributes;
}

// Copies each parameter. Their list ends with the first index that is refused.
template <class Handle, class Query>
void copy_parameters(Query query, Handle handle, void** parameters, KernelWork* work) {
  size_t offset = 0, size = 0;
  for (size_t i = 0; query(handle, i, &offset, &size) == CUDA_SUCCESS; ++i) {
    if (work->image.size() < offset + size) work->image.resize(offset + size);
    std::memcpy(work->image.data() + offset, parameters[i], size);
    work->offsets.push_back(offset);
  }
}

// Functions and kernels are handles of two kinds; the one whose name can be read is the right one.
bool read_parameters(const Driver& driver, void** parameters, KernelWork* work) {
  const char* name = nullptr;
  if (driver.cuFuncGetName(&name, work->function) == CUDA_SUCCESS) {
    if (parameters) copy_parameters(driver.cuFuncGetParamInfo, work->function, parameters, work);
    return true;
  }
  const auto kernel = reinterpret_cast<CUkernel>(work->function);
  if (driver.cuKernelGetName(&name, kernel) != CUDA_SUCCESS) return false;
  if (parameters) copy_parameters(driver.cuKernelGetParamInfo, kernel, parameters, work);
  return true;
}

bool read_buffer(void** extra, KernelWork* work) {
  const uint8_t* buffer = nullptr;
  size_t size = 0;
  for (void** at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const uint8_t*>(at[1]);
    if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<const size_t*>(at[1]);
  }
  if (buffer == nullptr) return false;
  work->buffer = true;
  work->image.assign(buffer, buffer + size);
  return true;
}

void read_kernel(const Driver& driver, CUgraphNode node, NodeWork* work) {
  CUDA_KERNEL_NODE_PARAMS params;
  std::memset(&params, 0, sizeof params);
  work->refusal = "unreadable-node";
  if (driver.cuGraphKernelNodeGetParams_v2(node, &params) != CUDA_SUCCESS) return;
  if (!set_parameters(driver, params, &work->kernel)) return;
  work->kernel.attributes = attributes_of(driver, node);
  work->refusal = is_device_updatable(driver, node) ? "device-updatable-node" : "";
}

const char* refusal_of(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return "";
    case CU_GRAPH_NODE_TYPE_GRAPH:  // unless its graph is read
      return "child-graph";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return "graph-memory-nodes";
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return "conditional-node";
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return "peer-communication";
    default:
      return "unmodelled-node";
  }
}

CUresult launch(const Driver& driver, const KernelWork& work, CUstream stream) {
  CUlaunchConfig config;
  std::memset(&config, 0, sizeof config);
  config.gridDimX = work.grid[0], config.gridDimY = work.grid[1], config.gridDimZ = work.grid[2];
  config.blockDimX = work.block[0], config.blockDimY = work.block[1];
  config.blockDimZ = work.block[2];
  config.sharedMemBytes = work.shared_bytes;
  config.hStream = stream;
  // The driver reads both and changes neither.
  config.attrs = const_cast<CUlaunchAttribute*>(work.attributes.data());
  config.numAttrs = static_cast<unsigned>(work.attributes.size());
  LaunchArguments arguments(work);
  return driver.cuLaunchKernelEx(&config, work.function, arguments.parameters(), arguments.extra());
}

// With a height of one the pitch is unused and may be zero.
CUresult set(const Driver& driver, const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream) {
  const auto value16 = static_cast<unsigned short>(set.value);
  const auto value8 = static_cast<unsigned char>(set.value);
  const bool flat = set.height <= 1;
  switch (set.elementSize) {
    case 4:
      return flat ? driver.cuMemsetD32Async(set.dst, set.value, set.width, stream)
                  : driver.cuMemsetD2D32Async(set.dst, set.pitch, set.value, set.width, set.height,
                                              stream);
    case 2:
      return flat ? driver.cuMemsetD16Async(set.dst, value16, set.width, stream)
                  : driver.cuMemsetD2D16Async(set.dst, set.pitch, value16, set.width, set.height,
                                              stream);
    default:
      return flat ? driver.cuMemsetD8Async(set.dst, value8, set.width, stream)
                  : driver.cuMemsetD2D8Async(set.dst, set.pitch, value8, set.width, set.height,
                                             stream);
  }
}

}  // namespace

LaunchArguments::LaunchArguments(const KernelWork& work)
    : buffer_(work.buffer), size_(work.image.size()) {
  auto* image = const_cast<uint8_t*>(work.image.data());
  extra_[0] = CU_LAUNCH_PARAM_BUFFER_POINTER, extra_[1] = image;
  extra_[2] = CU_LAUNCH_PARAM_BUFFER_SIZE, extra_[3] = &size_;
  extra_[4] = CU_LAUNCH_PARAM_END;
  for (const uint64_t offset : work.offsets) parameters_.push_back(image + offset);
}

bool set_parameters(const Driver& driver, const CUDA_KERNEL_NODE_PARAMS& params,
                    KernelWork* kernel) {
  kernel->function = params.func ? params.func : reinterpret_cast<CUfunction>(params.kern);
  const uint32_t grid[] = {params.gridDimX, params.gridDimY, params.gridDimZ};
  const uint32_t block[] = {params.blockDimX, params.blockDimY, params.blockDimZ};
  std::copy_n(grid, 3, kernel->grid);
  std::copy_n(block, 3, kernel->block);
  kernel->shared_bytes = params.sharedMemBytes;
  kernel->buffer = false;
  kernel->image.clear();
  kernel->offsets.clear();
  return params.extra ? read_buffer(params.extra, kernel)
                      : read_parameters(driver, params.kernelParams, kernel);
}

NodeWork read_node(const Driver& driver, CUgraphNode node) {
  NodeWork work;
  std::memset(&work.copy, 0, sizeof work.copy);
  work.refusal = "unreadable-node";
  if (driver.cuGraphNodeGetType(node, &work.type) != CUDA_SUCCESS) return work;
  switch (work.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      read_kernel(driver, node, &work);
      break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      if (driver.cuGraphMemcpyNodeGetParams(node, &work.copy) == CUDA_SUCCESS) work.refusal = "";
      break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
      if (driver.cuGraphMemsetNodeGetParams(node, &work.set) == CUDA_SUCCESS) work.refusal = "";
      break;
    case CU_GRAPH_NODE_TYPE_HOST:
      if (driver.cuGraphHostNodeGetParams(node, &work.host) == CUDA_SUCCESS) work.refusal = "";
      break;
    default:
      work.refusal = refusal_of(work.type);
  }
  return work;
}

namespace {

// Rows of `width` bytes, `pitch` apart, in planes of `rows` rows.
ByteRange extent(uint64_t begin, uint64_t width, uint64_t pitch, uint64_t height, uint64_t rows,
                 uint64_t depth) {
  if (width == 0 || height == 0 || depth == 0) return {};
  return {begin, begin + (depth - 1) * rows * pitch + (height - 1) * pitch + width};
}

ByteRange destination_of(const CUDA_MEMCPY3D& copy) {
  if (copy.dstMemoryType == CU_MEMORYTYPE_ARRAY) return {};
  const uint64_t base = copy.dstMemoryType == CU_MEMORYTYPE_HOST
                            ? reinterpret_cast<uint64_t>(copy.dstHost)
                            : copy.dstDevice;
  const uint64_t rows = copy.dstHeight > 0 ? copy.dstHeight : copy.Height;
  const uint64_t begin = base + (copy.dstZ * rows + copy.dstY) * copy.dstPitch + copy.dstXInBytes;
  return extent(begin, copy.WidthInBytes, copy.dstPitch, copy.Height, rows, copy.Depth);
}

}  // namespace

ByteRange destination_of(const NodeWork& work) {
  const CUDA_MEMSET_NODE_PARAMS& set = work.set;
  if (work.type == CU_GRAPH_NODE_TYPE_MEMCPY) return destination_of(work.copy);
  if (work.type != CU_GRAPH_NODE_TYPE_MEMSET) return {};
  return extent(set.dst, set.width * set.elementSize, set.pitch, set.height, set.height, 1);
}

namespace {

// One graph among the nodes of all.
struct Level {
  std::vector<CUgraphNode> nodes;
  size_t first = 0;  // place of its first node
};
// The nodes that nothing inside a graph comes before, or behind.
struct Ends {
  std::vector<int32_t> first;
  std::vector<int32_t> last;
};

std::optional<std::vector<CUgraphNode>> nodes_of(const Driver& driver, CUgraph graph) {
  size_t count = 0;
  if (driver.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS) return std::nullopt;
  std::vector<CUgraphNode> nodes(count);
  if (count > 0 && driver.cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS)
    return std::nullopt;
  return nodes;
}

// By index of their nodes. False: the driver did not give them all.
bool edges_of(const Driver& driver, CUgraph graph, const std::vector<CUgraphNode>& nodes,
              std::vector<WorkEdge>* edges) {
  size_t count = 0;
  if (driver.cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &count) != CUDA_SUCCESS)
    return false;
  if (count == 0) return true;
  std::vector<CUgraphNode> from(count), to(count);
  std::vector<CUgraphEdgeData> data(count);
  if (driver.cuGraphGetEdges_v2(graph, from.data(), to.data(), data.data(), &count) != CUDA_SUCCESS)
    return false;
  std::unordered_map<CUgraphNode, int32_t> index;
  for (size_t i = 0; i < nodes.size(); ++i) index[nodes[i]] = static_cast<int32_t>(i);
  for (size_t i = 0; i < count; ++i) {
    if (!index.contains(from[i]) || !index.contains(to[i])) return false;
    edges->push_back({index[from[i]], index[to[i]], data[i]});
  }
  return true;
}

Ends ends_of(const Level& level, const std::vector<WorkEdge>& edges,
             const std::vector<std::vector<int32_t>>& last_of) {
  std::vector<bool> preceded(level.nodes.size()), followed(level.nodes.size());
  for (const WorkEdge& edge : edges) {
    preceded[static_cast<size_t>(edge.to)] = true;
    followed[static_cast<size_t>(edge.from)] = true;
  }
  Ends ends;
  for (size_t i = 0; i < level.nodes.size(); ++i) {
    if (!preceded[i]) ends.first.push_back(static_cast<int32_t>(level.first + i));
    if (!followed[i]) ends.last.insert(ends.last.end(), last_of[i].begin(), last_of[i].end());
  }
  return ends;
}

// Nothing: the graph cannot be read, and nothing was added.
std::optional<Ends> add_graph(const Driver& driver, CUgraph graph, int depth, GraphWork* work) {
  const auto nodes = nodes_of(driver, graph);
  if (!nodes) return std::nullopt;
  const Level level{*nodes, work->nodes.size()};
  for (const CUgraphNode node : level.nodes) work->nodes.push_back(read_node(driver, node));
  std::vector<std::vector<int32_t>> last_of;  // by node: what its followers come after
  for (size_t i = 0; i < level.nodes.size(); ++i) {
    const auto own = static_cast<int32_t>(level.first + i);
    last_of.push_back({own});
    CUgraph child = nullptr;
    if (work->nodes[level.first + i].type != CU_GRAPH_NODE_TYPE_GRAPH || depth == kDeepestChild)
      continue;
    if (driver.cuGraphChildGraphNodeGetGraph(level.nodes[i], &child) != CUDA_SUCCESS) continue;
    const auto inside = add_graph(driver, child, depth + 1, work);
    if (!inside) continue;
    work->nodes[level.first + i].refusal.clear();
    for (const int32_t first : inside->first) work->edges.push_back(full_edge(own, first));
    if (!inside->last.empty()) last_of.back() = inside->last;
  }
  std::vector<WorkEdge> edges;
  work->edges_read = edges_of(driver, graph, level.nodes, &edges) && work->edges_read;
  for (const WorkEdge& edge : edges)
    for (const int32_t from : last_of[static_cast<size_t>(edge.from)])
      work->edges.push_back({from, static_cast<int32_t>(level.first) + edge.to, edge.data});
  return ends_of(level, edges, last_of);
}

}  // namespace

GraphWork read_graph(const Driver& driver, CUgraph graph) {
  GraphWork work;
  work.edges_read = true;
  if (!add_graph(driver, graph, 0, &work)) work.edges_read = false;
  return work;
}

CUresult issue(const Driver& driver, const NodeWork& work, CUstream stream) {
  switch (work.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return launch(driver, work.kernel, stream);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return driver.cuMemcpy3DAsync_v2(&work.copy, stream);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return set(driver, work.set, stream);
    case CU_GRAPH_NODE_TYPE_HOST:
      return driver.cuLaunchHostFunc(stream, work.host.fn, work.host.userData);
    // External events tell the outside of a launch; a replay is not one.
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace bohr::replay::cuda

// SPDX-License-Identifier: Apache-2.0
// A stand-in for libcuda: just enough streams, events, captures and graphs for the agent to be
// tested without a GPU. What counts is which callbacks come, in which order, and what the driver
// answers when the agent asks. Work is done when it is submitted, in the order of submission, and
// device memory is memory of the host: a race is never lost. FAKE_CUDA_INIT is the error that
// cuInit returns, or "crash".
//
// A capture keeps one frontier for each stream: a node depends on its stream's frontier, a wait
// adds the frontier that the event's record saw.
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fake.h"

// Its nodes as they were at instantiation, by their template's.
struct CUgraphExec_st {
  std::vector<std::pair<CUgraphNode, std::unique_ptr<CUgraphNode_st>>> nodes;
};
struct CUstream_st {
  bool capturing = false;
  std::set<CUgraphNode> frontier;
  std::vector<CUgraphNode> listed;
};
struct CUevent_st {
  std::chrono::steady_clock::time_point recorded;
  bool captured = false;
  std::set<CUgraphNode> frontier;
};

namespace {

cuuint64_t captures = 0;
CUgraph capturing = nullptr;
std::set<CUstream> captured_streams;  // that this capture reached

void capture(CUstream stream) {
  stream->capturing = true;
  captured_streams.insert(stream);
}
void end_capture() {
  for (CUstream stream : captured_streams) stream->capturing = false, stream->frontier.clear();
  captured_streams.clear();
}

// A node behind the stream's frontier, which it then is.
void add_node(CUstream stream, std::unique_ptr<CUgraphNode_st> node) {
  for (CUgraphNode before : stream->frontier) capturing->edges.push_back({before, node.get()});
  stream->frontier = {node.get()};
  capturing->nodes.push_back(std::move(node));
  fake_announce_node(capturing, capturing->nodes.back().get());
}

void add_kernel_node(CUstream stream, CUfunction function, unsigned grid, void** params,
                     bool buffer) {
  auto node = fake_kernel_node(function, params);
  if (buffer) fake_keep_buffer(node.get());
  node->params.gridDimX = grid;
  add_node(stream, std::move(node));
}

CUgraphExec exec_of(CUgraph graph) {
  auto exec = new CUgraphExec_st;
  for (const auto& node : graph->nodes) exec->nodes.push_back({node.get(), fake_copy_of(*node)});
  return exec;
}

void run_node(CUgraphNode_st& node) {
  if (!node.enabled) return;
  if (node.type == CU_GRAPH_NODE_TYPE_GRAPH)
    for (const auto& inner : node.child->nodes) run_node(*inner);
  for (const auto& body : node.bodies)
    for (const auto& inner : body->nodes) run_node(*inner);
  if (node.type == CU_GRAPH_NODE_TYPE_MEMCPY) fake_copy(node.copy);
  if (node.type != CU_GRAPH_NODE_TYPE_KERNEL || !node.params.func->run) return;
  node.params.func->run(node.pointers.data());
}

bool is_updatable(CUgraphNode node) {
  return node->type == CU_GRAPH_NODE_TYPE_KERNEL &&
         node->params.func->name.find("updatable") != std::string::npos;
}

}  // namespace

void fake_announce_node(CUgraph graph, CUgraphNode node) {
  CUpti_GraphData made = {};
  made.graph = graph;
  made.node = node;
  CUpti_ResourceData data = {};
  data.context = kContext;
  data.resourceDescriptor = &made;
  fake_fire(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &data);
}

CUgraphNode_st& fake_node_of(CUgraphExec exec, CUgraphNode node) {
  for (const auto& [of_template, own] : exec->nodes)
    if (of_template == node) return *own;
  std::abort();  // what a driver makes of a handle that is none of its template's
}

std::shared_ptr<CUgraph_st> fake_copy_of(const CUgraph_st& graph) {
  auto copy = std::make_shared<CUgraph_st>();
  std::map<CUgraphNode, CUgraphNode> copies;
  for (const auto& node : graph.nodes) {
    copy->nodes.push_back(fake_copy_of(*node));
    copies[node.get()] = copy->nodes.back().get();
  }
  for (const auto& [from, to] : graph.edges) copy->edges.push_back({copies[from], copies[to]});
  return copy;
}

std::unique_ptr<CUgraphNode_st> fake_copy_of(const CUgraphNode_st& node) {
  auto copy = std::make_unique<CUgraphNode_st>();
  copy->type = node.type, copy->copy = node.copy, copy->params = node.params;
  copy->values = node.values;
  copy->bodies = node.bodies, copy->batch = node.batch;
  if (node.child) copy->child = fake_copy_of(*node.child);
  for (uint64_t& value : copy->values) copy->pointers.push_back(&value);
  copy->params.kernelParams = copy->pointers.data();
  if (node.params.extra) fake_keep_buffer(copy.get());
  return copy;
}

// As a node keeps parameters that came as one buffer.
void fake_keep_buffer(CUgraphNode_st* node) {
  node->buffer_size = node->values.size() * sizeof(uint64_t);
  node->extra[0] = CU_LAUNCH_PARAM_BUFFER_POINTER, node->extra[1] = node->values.data();
  node->extra[2] = CU_LAUNCH_PARAM_BUFFER_SIZE, node->extra[3] = &node->buffer_size;
  node->extra[4] = CU_LAUNCH_PARAM_END;
  node->params.kernelParams = nullptr;
  node->params.extra = node->extra;
}

std::unique_ptr<CUgraphNode_st> fake_kernel_node(CUfunction function, void** params) {
  auto node = std::make_unique<CUgraphNode_st>();
  for (size_t i = 0; i < function->parameters; ++i) {
    node->values.push_back(*static_cast<uint64_t*>(params[i]));
  }
  for (uint64_t& value : node->values) node->pointers.push_back(&value);
  node->params.func = function;
  node->params.gridDimX = node->params.gridDimY = node->params.gridDimZ = 1;
  node->params.blockDimX = node->params.blockDimY = node->params.blockDimZ = 1;
  node->params.kernelParams = node->pointers.data();
  return node;
}

extern "C" {

CUresult cuInit(unsigned) {
  if (const char* code = std::getenv("FAKE_CUDA_INIT")) {
    if (std::atoi(code) == 0) std::abort();  // "crash"
    return static_cast<CUresult>(std::atoi(code));
  }
  if (const char* path = std::getenv("CUDA_INJECTION64_PATH")) {
    void* agent = dlopen(path, RTLD_NOW);
    auto entry = agent ? reinterpret_cast<int (*)()>(dlsym(agent, "InitializeInjection")) : nullptr;
    if (!entry || entry() != 1) return CUDA_ERROR_NOT_INITIALIZED;
  }
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int* count) { return *count = 1, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "fake", static_cast<size_t>(size));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* bus, int size, CUdevice) {
  std::strncpy(bus, "0000:01:00.0", static_cast<size_t>(size));
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) { return *bytes = 1 << 30, CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext* context) { return *context = kContext, CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice* device) { return *device = 0, CUDA_SUCCESS; }
CUresult cuStreamGetFlags(CUstream, unsigned* flags) { return *flags = 1, CUDA_SUCCESS; }
CUresult cuStreamGetPriority(CUstream, int* priority) { return *priority = 0, CUDA_SUCCESS; }
CUresult cuStreamGetCtx(CUstream, CUcontext* context) { return *context = kContext, CUDA_SUCCESS; }
CUresult cuPointerGetAttribute(void*, CUpointer_attribute, CUdeviceptr) {
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  if (function->kernel) return CUDA_ERROR_INVALID_HANDLE;
  return *name = function->name.c_str(), CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* size) {
  if (function->silent) return CUDA_ERROR_NOT_SUPPORTED;
  if (index >= function->parameters) return CUDA_ERROR_INVALID_VALUE;
  *offset = index * 8, *size = 8;
  return CUDA_SUCCESS;
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  const auto function = reinterpret_cast<CUfunction>(kernel);
  if (!function->kernel) return CUDA_ERROR_INVALID_HANDLE;
  return *name = function->name.c_str(), CUDA_SUCCESS;
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
  return cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), index, offset, size);
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  for (size_t i = 0; nodes && i < graph->nodes.size(); ++i) nodes[i] = graph->nodes[i].get();
  return *count = graph->nodes.size(), CUDA_SUCCESS;
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* data, size_t* count) {
  for (size_t i = 0; from && i < graph->edges.size(); ++i) {
    from[i] = graph->edges[i].first, to[i] = graph->edges[i].second;
    if (data) data[i] = {};
    if (data && graph->programmatic.contains(graph->edges[i]))
      data[i].type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
      data[i].from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  }
  return *count = graph->edges.size(), CUDA_SUCCESS;
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* data, size_t count) {
  if (std::getenv("FAKE_NO_EDGES") != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  const bool forgets = std::getenv("FAKE_FORGETS_EDGES") != nullptr;
  const auto body = [&] {
    for (size_t i = 0; i < count && !forgets; ++i) graph->edges.push_back({from[i], to[i]});
  };
  return CALL(cuGraphAddDependencies_v2, body, graph, from, to, data, count);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* data, size_t count) {
  const auto body = [&] {
    for (size_t i = 0; i < count; ++i) std::erase(graph->edges, std::pair(from[i], to[i]));
  };
  return CALL(cuGraphRemoveDependencies_v2, body, graph, from, to, data, count);
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return *type = node->type, CUDA_SUCCESS;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return *graph = node->child.get(), CUDA_SUCCESS;
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* copy) {
  return *copy = node->copy, CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  return *params = node->params, CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID id,
                                       CUlaunchAttributeValue* value) {
  if (id != CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) return CUDA_ERROR_INVALID_VALUE;
  return value->deviceUpdatableKernelNode.deviceUpdatable = is_updatable(node), CUDA_SUCCESS;
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** frontier,
                                   const CUgraphEdgeData**, size_t* count) {
  *status = stream->capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  stream->listed.assign(stream->frontier.begin(), stream->frontier.end());
  *id = captures, *graph = capturing, *frontier = stream->listed.data(),
  *count = stream->listed.size();
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  const auto body = [&] { *stream = new CUstream_st; };
  return CALL(cuStreamCreate, body, stream, flags);
}
CUresult cuEventCreate(CUevent* event, unsigned flags) {
  const auto body = [&] { *event = new CUevent_st; };
  return CALL(cuEventCreate, body, event, flags);
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  const auto body = [&] {
    event->recorded = std::chrono::steady_clock::now();
    event->captured = stream->capturing;
    event->frontier = stream->frontier;
  };
  return CALL(cuEventRecord, body, event, stream);
}
// By the name that every driver has.
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float* ms, CUevent from, CUevent to) {
  *ms = std::chrono::duration<float, std::milli>(to->recorded - from->recorded).count();
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy_v2(CUevent event) { return delete event, CUDA_SUCCESS; }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  const auto body = [&] {
    if (event->captured) capture(stream);
    stream->frontier.insert(event->frontier.begin(), event->frontier.end());
  };
  return CALL(cuStreamWaitEvent, body, stream, event, flags);
}
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  const auto body = [&] {
    capture(stream);
    capturing = new CUgraph_st;
    ++captures;
  };
  return CALL(cuStreamBeginCapture_v2, body, stream, mode);
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* before,
                                     const CUgraphEdgeData* data, size_t count,
                                     CUstreamCaptureMode mode) {
  const auto body = [&] {
    capture(stream);
    stream->frontier.insert(before, before + count);
    capturing = graph;
    ++captures;
  };
  return CALL(cuStreamBeginCaptureToGraph, body, stream, graph, before, data, count, mode);
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  const auto body = [&] {
    end_capture();
    *graph = capturing;
  };
  return CALL(cuStreamEndCapture, body, stream, graph);
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  const auto body = [&] { *exec = exec_of(graph); };
  return CALL(cuGraphInstantiateWithFlags, body, exec, graph, flags);
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  const auto body = [&] {
    for (const auto& [of_template, node] : exec->nodes) run_node(*node);
  };
  return CALL(cuGraphLaunch, body, exec, stream);
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  const auto body = [&] { delete exec; };
  return CALL(cuGraphExecDestroy, body, exec);
}
CUresult cuStreamSynchronize(CUstream stream) {
  return CALL(cuStreamSynchronize, fake_wait, stream);
}
CUresult cuStreamQuery(CUstream stream) {
  const CUresult result = CALL(
      cuStreamQuery, [] {}, stream);
  return fake_hangs() ? CUDA_ERROR_NOT_READY : result;
}
CUresult cuCtxSynchronize() {
  return fake_call(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize", 0, fake_wait);
}
CUresult cuEventSynchronize(CUevent event) {
  return CALL(
      cuEventSynchronize, [] {}, event);
}
CUresult cuEventQuery(CUevent event) {
  return CALL(
      cuEventQuery, [] {}, event);
}
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream, void** params,
                        void** extra) {
  const auto body = [&] {
    std::vector<void*> single;
    for (size_t i = 0; extra && i < function->parameters; ++i)
      single.push_back(static_cast<uint64_t*>(extra[1]) + i);
    void** const given = extra ? single.data() : params;
    if (stream->capturing)
      add_kernel_node(stream, function, gx, given, extra != nullptr);
    else if (function->run)
      function->run(given);
  };
  return CALL(cuLaunchKernel, body, function, gx, gy, gz, bx, by, bz, shared, stream, params,
              extra);
}

bool fake_capture(CUstream stream, const CUDA_MEMCPY3D* copy) {
  if (!stream->capturing) return false;
  auto node = std::make_unique<CUgraphNode_st>();
  node->type = copy ? CU_GRAPH_NODE_TYPE_MEMCPY : CU_GRAPH_NODE_TYPE_HOST;
  if (copy) node->copy = *copy;
  add_node(stream, std::move(node));
  return true;
}

CUfunction fake_function(const char* name, size_t parameters) {
  return new CUfunc_st{name, parameters};
}
CUfunction fake_handle(const char* name, size_t parameters, bool kernel, bool silent) {
  return new CUfunc_st{name, parameters, nullptr, kernel, silent};
}
CUfunction fake_kernel(const char* name, size_t parameters, FakeKernel run) {
  return new CUfunc_st{name, parameters, run};
}
}

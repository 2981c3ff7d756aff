// SPDX-License-Identifier: Apache-2.0
// A producer and a consumer of one buffer, as in guest.cc, in graphs of kinds that captures of
// plain kernels do not make. `graphs_guest ARM-race` leaves out the order between the two,
// ARM-clean has it. ARM: if (the consumer is captured into the body of a conditional node), value
// (a value is waited for; `value-signal`: by the consumer, behind whom the producer writes it),
// semaphore, updatable (the device may change the consumer), map (both are given tensor maps),
// moved (of another buffer, until their address is replaced), buffer (parameters as one buffer),
// kernel (handles are CUkernels), cubin (the driver does not tell where parameters lie),
// early (a programmatic edge leads from one to the other, and their machine code decides).
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "cubin_image.h"

extern "C" CUfunction fake_handle(const char* name, size_t parameters, bool kernel, bool silent);

namespace {

constexpr size_t kMapWords = sizeof(CUtensorMap) / sizeof(uint64_t);
constexpr size_t kFloats = 1000;

std::string kind;
bool race;
CUfunction produce, consume;
CUstream main_stream, side;
CUevent fork_event, join_event;
CUdeviceptr p, other, out, flag;

bool uses_maps() { return kind == "map" || kind == "moved"; }

// `memory` as a parameter: its address, or a tensor map of it.
std::vector<uint64_t> named(CUdeviceptr memory) {
  if (!uses_maps()) return {memory};
  CUtensorMap map;
  const cuuint64_t dims[] = {100, kFloats / 100}, strides[] = {400};
  const cuuint32_t box[] = {10, 1}, steps[] = {1, 1};
  const CUdeviceptr first = kind == "moved" ? other : memory;
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, reinterpret_cast<void*>(first),
                         dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                         CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (kind == "moved") cuTensorMapReplaceAddress(&map, reinterpret_cast<void*>(memory));
  std::vector<uint64_t> words(kMapWords);
  std::memcpy(words.data(), &map, sizeof map);
  return words;
}

void launch(CUfunction function, CUstream stream, CUdeviceptr memory, uint64_t second) {
  std::vector<uint64_t> values = named(memory);
  values.push_back(second);
  std::vector<void*> params;
  for (uint64_t& value : values) params.push_back(&value);
  size_t bytes = values.size() * sizeof(uint64_t);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, values.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, CU_LAUNCH_PARAM_END};
  const bool buffer = kind == "buffer";
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, buffer ? nullptr : params.data(),
                 buffer ? extra : nullptr);
}

void order(CUstream before, CUstream after, CUevent event) {
  cuEventRecord(event, before);
  cuStreamWaitEvent(after, event, 0);
}

CUgraph captured() {
  CUgraph graph;
  cuStreamBeginCapture_v2(main_stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  if (race) order(main_stream, side, fork_event);
  launch(produce, main_stream, p, 0);
  if (!race) order(main_stream, side, fork_event);
  launch(consume, side, p, out);
  order(side, main_stream, join_event);
  cuStreamEndCapture(main_stream, &graph);
  return graph;
}

CUgraphNode add(CUgraph graph, std::vector<CUgraphNode> before, CUgraphNodeParams* params) {
  CUgraphNode node;
  std::vector<CUgraphEdgeData> data(before.size());
  for (CUgraphEdgeData& edge : data) {
    if (kind != "early") break;
    edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  }
  cuGraphAddNode_v2(&node, graph, before.data(), data.data(), before.size(), params);
  return node;
}
CUgraphNode add_kernel(CUgraph graph, std::vector<CUgraphNode> before, CUfunction function,
                       CUdeviceptr memory, uint64_t second) {
  void* parameters[] = {&memory, &second};
  CUgraphNodeParams params = {};
  params.type = CU_GRAPH_NODE_TYPE_KERNEL;
  params.kernel.func = function;
  params.kernel.kernelParams = parameters;
  return add(graph, std::move(before), &params);
}
CUgraphNode add_value(CUgraph graph, std::vector<CUgraphNode> before, bool waits) {
  CUstreamBatchMemOpParams op = {};
  op.operation = waits ? CU_STREAM_MEM_OP_WAIT_VALUE_32 : CU_STREAM_MEM_OP_WRITE_VALUE_32;
  (waits ? op.waitValue.address : op.writeValue.address) = flag;
  CUgraphNodeParams params = {};
  params.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  params.memOp.count = 1;
  params.memOp.paramArray = &op;
  return add(graph, std::move(before), &params);
}
CUgraphNode add_semaphore(CUgraph graph) {
  CUgraphNodeParams params = {};
  params.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
  return add(graph, {}, &params);
}

// The consumer is captured into the body, which is filled when the graph has all its nodes.
void add_conditional(CUgraph graph, std::vector<CUgraphNode> before) {
  CUgraphNodeParams params = {};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.type = CU_GRAPH_COND_TYPE_IF;
  params.conditional.size = 1;
  add(graph, std::move(before), &params);
  CUgraph body = params.conditional.phGraph_out[0];
  cuStreamBeginCaptureToGraph(side, body, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);
  launch(consume, side, p, out);
  cuStreamEndCapture(side, &body);
}

CUgraph built() {
  CUgraph graph;
  cuGraphCreate(&graph, 0);
  const std::vector<CUgraphNode> first = {add_kernel(graph, {}, produce, p, 0)};
  const std::vector<CUgraphNode> behind = race ? std::vector<CUgraphNode>{} : first;
  if (kind == "if") add_conditional(graph, behind);
  if (kind == "semaphore") add_kernel(graph, {add_semaphore(graph)}, consume, p, out);
  if (kind == "early") add_kernel(graph, first, consume, p, out);
  if (kind == "updatable") add_kernel(graph, behind, consume, p, out);
  if (kind == "value") {
    add_value(graph, {}, true);
    add_kernel(graph, behind, consume, p, out);
  }
  if (kind == "value-signal") {
    add_value(graph, first, false);
    add_kernel(graph, {add_value(graph, {}, true)}, consume, p, out);
  }
  return graph;
}

bool is_built() {
  for (const char* name : {"if", "early", "semaphore", "updatable", "value", "value-signal"})
    if (kind == name) return true;
  return false;
}

void make_functions() {
  const size_t parameters = uses_maps() ? kMapWords + 1 : 2;
  const bool kernel = kind == "kernel", silent = kind == "cubin";
  const bool loads = silent || kind == "early";
  const char* consumer = kind == "updatable" ? "_Z9updatablePKfPf" : "_Z7consumePKfPf";
  produce = fake_handle("_Z7producePfm", parameters, kernel, silent);
  consume = fake_handle(consumer, parameters, kernel, silent);
  if (!loads) return;
  CUlibrary library;
  const auto image = cubin_image({{"_Z7producePfm", {8, 8}}, {"_Z7consumePKfPf", {8, 8}}});
  cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string arm = argc > 1 ? argv[1] : "";
  const size_t dash = arm.rfind('-');
  if (cuInit(0) != CUDA_SUCCESS || dash == std::string::npos) return 3;
  kind = arm.substr(0, dash), race = arm.substr(dash + 1) == "race";
  for (CUstream* stream : {&main_stream, &side}) cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
  for (CUevent* event : {&fork_event, &join_event}) cuEventCreate(event, 0);
  for (CUdeviceptr* memory : {&p, &other, &out, &flag}) cuMemAlloc_v2(memory, kFloats * 4);
  make_functions();
  CUgraph graph = is_built() ? built() : captured();
  CUgraphExec exec;
  cuGraphInstantiateWithFlags(&exec, graph, 0);
  cuGraphLaunch(exec, main_stream);
  cuStreamSynchronize(main_stream);
  for (const CUdeviceptr memory : {p, other, out, flag}) cuMemFree_v2(memory);
  std::puts("done");
}

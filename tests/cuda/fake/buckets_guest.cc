// SPDX-License-Identifier: Apache-2.0
// The program under test for `--apply`: one graph for each of some batch sizes. In each a
// side stream, which has not waited for main, reads a block: a race where that is the one which
// main has just written (even sizes), none where it is another (odd ones). The stand-in driver runs
// nodes in issue order, so that the race is never lost.
//
//   buckets_guest ARM [SIZES]      with LOOKUP=dlsym or proc: how it finds what is hooked; else
//   linked
//
// ARM: recorded; more (one size more than what was recorded, and racy); apart (the same, but its
// blocks are apart); other (one node more in each graph); elsewhere (graphs of another kind);
// by_hand (no capture: the nodes are added); inside (such a graph is the child of another one);
// across (the one that writes is inside a child graph, the one that reads is not); late (a graph of
// another kind is launched first).
// Says "N edges", by graph with its child graphs, as the driver has them at the end.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using Kernel = void (*)(void** params);
extern "C" CUfunction fake_kernel(const char* name, size_t parameters, Kernel run);

namespace {

constexpr size_t kUnit = 4096;

CUstream main_stream, side;
CUevent fork_event, join_event;
CUfunction produce, consume, combine;

decltype(&::cuStreamEndCapture) end_capture = ::cuStreamEndCapture;
decltype(&::cuGraphInstantiateWithFlags) instantiate = ::cuGraphInstantiateWithFlags;
decltype(&::cuGraphLaunch) launch_graph = ::cuGraphLaunch;

// As the CUDA runtime does it.
template <class Function>
void by_version(decltype(&::cuGetProcAddress_v2) get, const char* name, Function* function) {
  void* found = nullptr;
  get(name, &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
  *function = reinterpret_cast<Function>(found);
}

void look_up(const char* way) {
  if (!way) return;
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto find = [library](const char* name, auto* function) {
    *reinterpret_cast<void**>(function) = dlsym(library, name);
  };
  if (!std::strcmp(way, "dlsym")) {
    find("cuStreamEndCapture", &end_capture);
    find("cuGraphInstantiateWithFlags", &instantiate);
    find("cuGraphLaunch", &launch_graph);
    return;
  }
  decltype(&::cuGetProcAddress_v2) first = nullptr, get = nullptr;
  find("cuGetProcAddress_v2", &first);
  by_version(first, "cuGetProcAddress", &get);  // and from then on that one
  by_version(get, "cuStreamEndCapture", &end_capture);
  by_version(get, "cuGraphInstantiate", &instantiate);
  by_version(get, "cuGraphLaunch", &launch_graph);
}

void nothing(void**) {}

CUdeviceptr block(unsigned size) {
  CUdeviceptr memory = 0;
  cuMemAlloc_v2(&memory, size * kUnit);
  return memory;
}
void launch(CUfunction function, unsigned size, CUstream stream, CUdeviceptr a, CUdeviceptr b) {
  void* params[] = {&a, &b};
  cuLaunchKernel(function, size, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
}

CUgraph captured(const std::string& arm, unsigned size, bool racy) {
  const CUdeviceptr input = block(size), made = block(size), out = block(size);
  const CUdeviceptr used = racy ? made : input;
  CUgraph graph = nullptr;
  cuStreamBeginCapture_v2(main_stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  if (arm == "elsewhere") {
    launch(combine, size, main_stream, input, out);
  } else {
    if (arm == "other") launch(combine, size, main_stream, out, out);
    cuEventRecord(fork_event, main_stream);
    cuStreamWaitEvent(side, fork_event, 0);
    launch(produce, size, main_stream, made, input);
    launch(consume, size, side, used, out);
    cuEventRecord(join_event, side);
    cuStreamWaitEvent(main_stream, join_event, 0);
    launch(combine, size, main_stream, made, out);
  }
  end_capture(main_stream, &graph);
  return graph;
}

CUgraphNode added(CUgraph graph, CUfunction function, const std::vector<CUgraphNode>& after,
                  unsigned size, CUdeviceptr a, CUdeviceptr b) {
  void* values[] = {&a, &b};
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = function;
  params.gridDimX = size, params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = values;
  CUgraphNode node = nullptr;
  cuGraphAddKernelNode_v2(&node, graph, after.data(), after.size(), &params);
  return node;
}

CUgraphNode added(CUgraph graph, CUgraph child, const std::vector<CUgraphNode>& after) {
  CUgraphNode node = nullptr;
  cuGraphAddChildGraphNode(&node, graph, after.data(), after.size(), child);
  return node;
}

CUgraph made_by_hand() {
  CUgraph graph = nullptr;
  cuGraphCreate(&graph, 0);
  return graph;
}

CUgraph by_hand(const std::string& arm, unsigned size, bool racy) {
  const CUdeviceptr input = block(size), made = block(size), out = block(size);
  const CUdeviceptr used = racy ? made : input;
  CUgraph graph = made_by_hand(), inner = made_by_hand();
  CUgraphNode writer = nullptr;
  if (arm == "across") {
    added(inner, produce, {}, size, made, input);
    writer = added(graph, inner, {});
  } else {
    writer = added(graph, produce, {}, size, made, input);
  }
  const CUgraphNode reader = added(graph, consume, {}, size, used, out);
  added(graph, combine, {writer, reader}, size, made, out);
  if (arm != "inside") return graph;
  const CUgraph outer = made_by_hand();
  const CUgraphNode first = added(outer, combine, {}, size, input, input);
  added(outer, combine, {added(outer, graph, {first})}, size, out, out);
  return outer;
}

size_t edges_of(CUgraph graph) {
  size_t edges = 0, count = 0;
  cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  cuGraphGetNodes(graph, nullptr, &count);
  std::vector<CUgraphNode> nodes(count);
  cuGraphGetNodes(graph, nodes.data(), &count);
  for (const CUgraphNode node : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUgraph child = nullptr;
    cuGraphNodeGetType(node, &type);
    if (type != CU_GRAPH_NODE_TYPE_GRAPH) continue;
    cuGraphChildGraphNodeGetGraph(node, &child);
    edges += edges_of(child);
  }
  return edges;
}

void run(CUgraph graph) {
  CUgraphExec exec = nullptr;
  instantiate(&exec, graph, 0);
  for (int i = 0; i < 3; ++i) launch_graph(exec, main_stream);
  cuStreamSynchronize(main_stream);
  std::printf("%zu edges\n", edges_of(graph));
  cuGraphExecDestroy(exec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || cuInit(0) != CUDA_SUCCESS) return 3;
  look_up(std::getenv("LOOKUP"));
  const std::string arm = argv[1];
  const unsigned sizes = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 5;
  for (CUstream* stream : {&main_stream, &side}) cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
  for (CUevent* event : {&fork_event, &join_event}) cuEventCreate(event, 0);
  produce = fake_kernel("_Z7producePjPKj", 2, nothing);
  consume = fake_kernel("_Z7consumePKjPj", 2, nothing);
  combine = fake_kernel("_Z7combinePKjPj", 2, nothing);
  if (arm == "late") run(captured("elsewhere", 1, false));
  const bool adds_nodes = arm == "by_hand" || arm == "inside" || arm == "across";
  std::vector<CUgraph> graphs;
  for (unsigned size = 1; size <= sizes; ++size)
    graphs.push_back(adds_nodes ? by_hand(arm, size, size % 2 == 0)
                                : captured(arm, size, size % 2 == 0));
  if (arm == "more") graphs.push_back(captured(arm, sizes + 1, true));
  if (arm == "apart") graphs.push_back(captured(arm, sizes + 1, false));
  for (CUgraph graph : graphs) run(graph);
  return 0;
}

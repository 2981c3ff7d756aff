// SPDX-License-Identifier: Apache-2.0
// graph_kinds conditional|tensor_map|early race|clean: a producer and a consumer of one buffer, in
// graphs of kinds that captures of plain kernels do not make. tools/gpu_graph_kinds.sh says what is
// to come out.
//
// conditional: the consumer is captured into the body of an IF node, which in `race` has no edge
// from the producer. tensor_map: the producer is given the buffer as a tensor map alone, and stores
// through it. early: a programmatic edge leads from the one to the other; the consumer waits
// (`clean`) or never does. Devices before sm_90 cannot run it.
#include <cuda.h>

#include <cstring>

#include "program.h"

namespace {

constexpr int kTile = 32;  // floats of a row of the tensor map's box

__global__ void produce_early(float* p, float value) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void consume_waiting(const float* p, float* out) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[i];
}
__global__ void consume_at_once(const float* p, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[i];
}

__global__ void produce_map(const __grid_constant__ CUtensorMap map, float value) {
#if __CUDA_ARCH__ >= 900
  __shared__ alignas(128) float tile[kTile];
  tile[threadIdx.x] = value;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
      "r"(0), "r"(static_cast<int>(blockIdx.x)), "r"(from)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

CUtensorMap map_of(float* p, int rows) {
  CUtensorMap map;
  const cuuint64_t dims[] = {kTile, static_cast<cuuint64_t>(rows)}, strides[] = {kTile * 4};
  const cuuint32_t box[] = {kTile, 1}, steps[] = {1, 1};
  if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, p, dims, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    std::exit(3);
  return map;
}

cudaGraph_t conditional(bool race, float* p, float* out) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  float one = 1;
  void* parameters[] = {&p, &one};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(produce);
  kernel.gridDim = kGrid, kernel.blockDim = kBlock;
  kernel.kernelParams = parameters;
  cudaGraphNode_t first, node;
  CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeIf;
  params.conditional.size = 1;
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddNode(&node, graph, &first, nullptr, race ? 0 : 1, &params));
#else
  CHECK(cudaGraphAddNode(&node, graph, &first, race ? 0 : 1, &params));
#endif
  cudaStream_t stream = side_stream();
  cudaGraph_t body = params.conditional.phGraph_out[0];
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeGlobal));
  consume<<<kGrid, kBlock, 0, stream>>>(p, out);
  CHECK(cudaStreamEndCapture(stream, &body));
  return graph;
}

cudaGraph_t tensor_map(bool race, float* p, float* out) {
  cudaStream_t main = side_stream(), side = side_stream();
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
  const CUtensorMap map = map_of(p, kGrid);
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  if (race) order(main, side, fork);
  produce_map<<<kGrid, kTile, 0, main>>>(map, 1);
  if (!race) order(main, side, fork);
  consume<<<kGrid, kBlock, 0, side>>>(p, out);
  order(side, main, join);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(main, &graph));
  return graph;
}

cudaGraph_t early(bool race, float* p, float* out) {
  cudaStream_t main = side_stream();
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  produce_early<<<kGrid, kBlock, 0, main>>>(p, 1);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = kGrid, config.blockDim = kBlock;
  config.stream = main;
  config.attrs = &attribute, config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, race ? consume_at_once : consume_waiting,
                           static_cast<const float*>(p), out));
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(main, &graph));
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bool race = wants_race(argc - 1, argv + 1);
  float *p = device_floats(), *out = device_floats();
  cudaGraph_t graph = nullptr;
  if (std::strcmp(argv[1], "conditional") == 0) graph = conditional(race, p, out);
  if (std::strcmp(argv[1], "tensor_map") == 0) graph = tensor_map(race, p, out);
  if (std::strcmp(argv[1], "early") == 0) graph = early(race, p, out);
  if (graph == nullptr) return 2;
  launch_graph(graph, side_stream(), 3);
  CHECK(cudaFree(p));
  CHECK(cudaFree(out));
}

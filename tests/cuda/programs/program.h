// SPDX-License-Identifier: Apache-2.0
// What the CUDA test programs share: errors end the program, and small kernels whose signatures say
// what is read (pointers to const) and what may be written.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t error_ = (call);                                                     \
    if (error_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (false)

constexpr int kElements = 1 << 14;
constexpr int kBlock = 256;
constexpr int kGrid = kElements / kBlock;

__global__ static void produce(float* out, float value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = value + static_cast<float>(i % 7);
}

__global__ static void consume(const float* in, float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = in[i] * 2;
}

__global__ static void combine(const float* a, const float* b, float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = a[i] + b[i];
}

// Longer than is used, so that no block ends where the next one begins: a pointer that is also the
// end of another block is no evidence.
inline float* device_floats() {
  float* pointer = nullptr;
  CHECK(cudaMalloc(&pointer, kElements * sizeof(float) + 64));
  return pointer;
}

inline cudaStream_t side_stream() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

inline cudaEvent_t event_without_timing() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

// `after` waits for what `before` was asked to do so far.
inline void order(cudaStream_t before, cudaStream_t after, cudaEvent_t event) {
  CHECK(cudaEventRecord(event, before));
  CHECK(cudaStreamWaitEvent(after, event, 0));
}

// The first argument, which must be one of the program's arms.
inline bool wants_race(int argc, char** argv) {
  if (argc == 2 && !std::strcmp(argv[1], "race")) return true;
  if (argc == 2 && !std::strcmp(argv[1], "clean")) return false;
  std::fprintf(stderr, "usage: %s race|clean\n", argv[0]);
  std::exit(2);
}

inline void launch_graph(cudaGraph_t graph, cudaStream_t stream, int times) {
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < times; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

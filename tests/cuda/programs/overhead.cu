// SPDX-License-Identifier: Apache-2.0
// overhead: host cost of what a program does most, in one line of numbers. Run with and without the
// agent; the difference is the agent's. No race in it.
#include <algorithm>
#include <chrono>

#include "program.h"

namespace {

__global__ void add_one(float* data, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) data[i] += 1;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

cudaGraph_t captured(cudaStream_t stream, float* data, int kernels) {
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < kernels; ++i) add_one<<<kGrid, kBlock, 0, stream>>>(data, kElements);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

// Microseconds for one of `count` replays, all in.
double replay_us(cudaGraphExec_t exec, cudaStream_t stream, int count) {
  for (int i = 0; i < 10; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  const double begin = now();
  for (int i = 0; i < count; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  return (now() - begin) * 1e6 / count;
}

// Host time alone, in bursts that the launch queue takes.
double eager_us(cudaStream_t stream, float* data) {
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    CHECK(cudaStreamSynchronize(stream));
    const double begin = now();
    for (int i = 0; i < 500; ++i) add_one<<<1, 32, 0, stream>>>(data, 32);
    best = std::min(best, (now() - begin) * 1e6 / 500);
  }
  CHECK(cudaStreamSynchronize(stream));
  return best;
}

double launch_us(cudaGraphExec_t exec, cudaStream_t stream) {
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    CHECK(cudaStreamSynchronize(stream));
    const double begin = now();
    for (int i = 0; i < 200; ++i) CHECK(cudaGraphLaunch(exec, stream));
    best = std::min(best, (now() - begin) * 1e6 / 200);
  }
  CHECK(cudaStreamSynchronize(stream));
  return best;
}

}  // namespace

int main() {
  cudaStream_t stream = side_stream();
  float* data = device_floats();
  add_one<<<1, 32, 0, stream>>>(data, 32);
  CHECK(cudaStreamSynchronize(stream));
  double capture = 1e9;
  cudaGraphExec_t long_exec = nullptr, short_exec = nullptr;
  for (int round = 0; round < 3; ++round) {
    const double begin = now();
    cudaGraph_t graph = captured(stream, data, 1000);
    CHECK(cudaGraphInstantiate(&long_exec, graph, 0));
    capture = std::min(capture, (now() - begin) * 1e3);
    CHECK(cudaGraphDestroy(graph));
  }
  CHECK(cudaGraphInstantiate(&short_exec, captured(stream, data, 1), 0));
  double replay = 1e9, burst = 1e9;
  for (int round = 0; round < 5; ++round) {
    replay = std::min(replay, replay_us(long_exec, stream, 200));
    burst = std::min(burst, replay_us(short_exec, stream, 2000));
  }
  std::printf(
      "capture+instantiate_1000_ms %.3f replay_1000_us %.1f replay_1_us %.2f "
      "launch_1_us %.2f eager_us %.2f\n",
      capture, replay, burst, launch_us(short_exec, stream), eager_us(stream, data));
}

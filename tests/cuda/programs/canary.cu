// SPDX-License-Identifier: Apache-2.0
// canary race|clean: two buffers of one allocation, and a guard that no kernel names. `spill` is
// given the first buffer. race: it also writes one element past it, which is the neighbour's first,
// and one element of the guard, whose distance it is given. Everything is on one stream: no order
// differs.
//
// With `--watch` on the allocation's second half, where `produce` alone may write, and on the
// guard: race: `spill` is told with one page of each. clean: nobody is.
#include "program.h"

constexpr size_t kHalf = kElements * sizeof(float);  // 64 KiB
constexpr size_t kGuard = 20 << 10;

// Writes `count` elements and, where `far` is not 0, the element there.
__global__ static void spill(float* buffer, int count, long long far) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) buffer[i] = 100.0F + static_cast<float>(i);
  if (i == 0 && far != 0) buffer[far] = 3;
}

int main(int argc, char** argv) {
  const bool race = wants_race(argc, argv);
  cudaStream_t stream = side_stream();
  float *arena = nullptr, *guard = nullptr, *out = device_floats();
  CHECK(cudaMalloc(&arena, 2 * kHalf));
  CHECK(cudaMalloc(&guard, kGuard));
  CHECK(cudaMemsetAsync(arena, 0, 2 * kHalf, stream));
  CHECK(cudaMemsetAsync(guard, 0, kGuard, stream));
  float* neighbour = arena + kElements;
  const long long far = race ? guard - arena : 0;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  produce<<<kGrid, kBlock, 0, stream>>>(neighbour, 1);
  spill<<<kGrid + 1, kBlock, 0, stream>>>(arena, race ? kElements + 1 : kElements, far);
  consume<<<kGrid, kBlock, 0, stream>>>(arena, out);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  launch_graph(graph, stream, 20);
  float found = 0;
  CHECK(cudaMemcpy(&found, race ? guard : neighbour, sizeof found, cudaMemcpyDeviceToHost));
  std::printf("%s\n", found == (race ? 3.0F : 1.0F) ? "right" : "wrong");
  for (float* memory : {arena, guard, out}) CHECK(cudaFree(memory));
}

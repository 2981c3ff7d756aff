// SPDX-License-Identifier: Apache-2.0
// child_graph race|clean [LAUNCHES]: a captured graph that is a child of one made by hand, between
// two kernels that count. In the race nothing makes the consumer wait for the producer, which is
// faster by far. After each launch the result must be that of so many launches. Prints "right after
// N launches", or what was wrong.
#include <cstdlib>
#include <string>
#include <vector>

#include "program.h"

namespace {

constexpr int kWords = 1 << 14;

__global__ void fill(unsigned* scratch, const unsigned* number) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords) scratch[i] = *number + i;
}
__global__ void spin(long long ticks) {
  const long long end = clock64() + ticks;
  while (clock64() < end) {
  }
}
__global__ void twice(const unsigned* scratch, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords) out[i] = 2 * scratch[i];
}
__global__ void count(unsigned* number) { ++*number; }

cudaGraph_t captured(bool race, unsigned* scratch, unsigned* out, const unsigned* number) {
  cudaStream_t main = side_stream(), side = side_stream();
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  if (race) order(main, side, fork);
  fill<<<kWords / 256, 256, 0, main>>>(scratch, number);
  if (!race) order(main, side, fork);
  spin<<<1, 1, 0, side>>>(400000);
  twice<<<kWords / 256, 256, 0, side>>>(scratch, out);
  order(side, main, join);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(main, &graph));
  return graph;
}

cudaGraph_t around(cudaGraph_t child, unsigned* number) {
  void* arguments[] = {&number};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(count);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  cudaGraph_t graph;
  cudaGraphNode_t first, second, third;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params));
  CHECK(cudaGraphAddChildGraphNode(&second, graph, &first, 1, child));
  CHECK(cudaGraphAddKernelNode(&third, graph, &second, 1, &params));
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  const bool race = argc < 2 || std::string(argv[1]) == "race";
  const int launches = argc > 2 ? std::atoi(argv[2]) : 200;
  const size_t bytes = kWords * sizeof(unsigned);
  unsigned *scratch, *out, *number;
  for (unsigned** memory : {&scratch, &out, &number}) {
    CHECK(cudaMalloc(memory, bytes));
    CHECK(cudaMemset(*memory, 0, bytes));
  }
  CHECK(cudaDeviceSynchronize());  // sets are asynchronous, and our streams wait for none
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, around(captured(race, scratch, out, number), number), 0));
  cudaStream_t stream = side_stream();
  std::vector<unsigned> found(kWords);
  for (int launch = 0; launch < launches; ++launch) {
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaMemcpyAsync(found.data(), out, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < kWords; ++i) {
      const unsigned expected = 2 * (2 * static_cast<unsigned>(launch) + 1 + i);
      if (found[i] == expected) continue;
      std::printf("launch %d: out[%d] is %u, not %u\n", launch, i, found[i], expected);
      return 1;
    }
  }
  std::printf("right after %d launches\n", launches);
  return 0;
}

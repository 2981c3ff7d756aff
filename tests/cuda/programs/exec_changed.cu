// SPDX-License-Identifier: Apache-2.0
// exec_changed ARM [LAUNCHES]: a graph that the program changes after it was instantiated. ARM is
// `set.race` or `set.clean`: before each launch the consumer is set to write another of two buffers
// than the one that it was captured with, and a number is set that no kernel looks at; or
// `disabled.race` or `disabled.clean`: a kernel that would spoil the result is disabled. In the
// races nothing makes the consumer wait for the producer, which is faster by far. After each launch
// the result must be that of so many launches. Prints "right after N launches", or what was wrong.
#include <cstdlib>
#include <string>
#include <vector>

#include "program.h"

namespace {

constexpr int kWords = 1 << 14;

__global__ void produce_words(unsigned* scratch, const unsigned* number) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords) scratch[i] = *number + i;
}
__global__ void spin(long long ticks) {
  const long long end = clock64() + ticks;
  while (clock64() < end) {
  }
}
__global__ void consume_words(const unsigned* scratch, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords) out[i] = 2 * scratch[i];
}
__global__ void spoil(unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords) out[i] = 7;
}
__global__ void count(unsigned* number, unsigned) { ++*number; }

template <class Kernel>
cudaGraphNode_t node_of(cudaGraph_t graph, Kernel kernel) {
  size_t size = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &size));
  std::vector<cudaGraphNode_t> nodes(size);
  CHECK(cudaGraphGetNodes(graph, nodes.data(), &size));
  for (cudaGraphNode_t node : nodes) {
    cudaKernelNodeParams params{};
    CHECK(cudaGraphKernelNodeGetParams(node, &params));
    if (params.func == reinterpret_cast<void*>(kernel)) return node;
  }
  std::exit(3);
}

template <class Kernel, class... Arguments>
void set(cudaGraphExec_t exec, cudaGraphNode_t node, Kernel kernel, unsigned blocks,
         unsigned threads, Arguments... arguments) {
  void* pointers[] = {&arguments...};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(kernel);
  params.gridDim = dim3(blocks);
  params.blockDim = dim3(threads);
  params.kernelParams = pointers;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &params));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string arm = argc > 1 ? argv[1] : "set.race";
  const int launches = argc > 2 ? std::atoi(argv[2]) : 200;
  const bool sets = arm.rfind("set", 0) == 0, race = arm.find("race") != std::string::npos;
  const size_t bytes = kWords * sizeof(unsigned);
  cudaStream_t main = side_stream(), side = side_stream();
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
  unsigned *scratch, *out, *other, *number;
  for (unsigned** memory : {&scratch, &out, &other}) CHECK(cudaMalloc(memory, bytes));
  CHECK(cudaMalloc(&number, sizeof(unsigned)));
  for (unsigned* memory : {scratch, out, other}) CHECK(cudaMemset(memory, 0, bytes));
  CHECK(cudaMemset(number, 0, sizeof(unsigned)));
  CHECK(cudaDeviceSynchronize());  // sets are asynchronous, and our streams wait for none

  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  if (race) order(main, side, fork);
  produce_words<<<kWords / 256, 256, 0, main>>>(scratch, number);
  if (!race) order(main, side, fork);
  spin<<<1, 1, 0, side>>>(400000);
  consume_words<<<kWords / 256, 256, 0, side>>>(scratch, sets ? other : out);
  order(side, main, join);
  if (!sets) spoil<<<kWords / 256, 256, 0, main>>>(out);
  count<<<1, 1, 0, main>>>(number, 0);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(main, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  if (!sets) CHECK(cudaGraphNodeSetEnabled(exec, node_of(graph, spoil), 0));

  std::vector<unsigned> found(kWords);
  for (int launch = 0; launch < launches; ++launch) {
    if (sets) {
      const unsigned* from = scratch;
      set(exec, node_of(graph, consume_words), consume_words, kWords / 256, 256, from, out);
      set(exec, node_of(graph, count), count, 1, 1, number, static_cast<unsigned>(launch));
    }
    CHECK(cudaGraphLaunch(exec, main));
    CHECK(cudaMemcpyAsync(found.data(), out, bytes, cudaMemcpyDeviceToHost, main));
    CHECK(cudaStreamSynchronize(main));
    for (int i = 0; i < kWords; ++i) {
      const unsigned expected = 2 * (static_cast<unsigned>(launch) + i);
      if (found[i] == expected) continue;
      std::printf("launch %d: out[%d] is %u, not %u\n", launch, i, found[i], expected);
      return 1;
    }
  }
  std::printf("right after %d launches\n", launches);
  return 0;
}

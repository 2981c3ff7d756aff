// SPDX-License-Identifier: Apache-2.0
// counting_graph LAUNCHES [BYTES [FREE]]: a graph with a race and with state that every launch
// advances, launched again and again while it may be explored, paused or left in the middle of it.
// After each launch the state must be what so many launches leave: an order that was run and not
// put back, or put back wrongly, shows; what the race may spoil by itself is not looked at. BYTES
// is the size of a block that the graph only reads a part of; FREE is how much device memory is
// left free. Prints "right after N launches", or what was wrong.
#include <cstdlib>
#include <vector>

#include "program.h"

namespace {

constexpr int kWords = 1 << 14;
constexpr int kRounds = 8;  // uses of the large block by each stream; many orders differ

__global__ void advance(unsigned* state) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords) state[i] = state[i] * 1664525u + 1013904223u + i;
}

__global__ void add_up(const unsigned* state, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords) sum[i] += state[i];
}

__global__ void scatter_into(const unsigned* state, unsigned* scratch, unsigned salt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords) scratch[i] = state[i] ^ salt;
}

__global__ void spin(long long ticks) {
  const long long end = clock64() + ticks;
  while (clock64() < end) {
  }
}

__global__ void gather(const unsigned* scratch, const unsigned* large, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords) out[i] += scratch[i] + large[i];
}

template <class T>
T* device(size_t bytes) {
  T* pointer = nullptr;
  CHECK(cudaMalloc(&pointer, bytes));
  CHECK(cudaMemset(pointer, 0, bytes));
  return pointer;
}

}  // namespace

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 2000;
  const size_t large_bytes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : kWords * 4;
  const size_t bytes = kWords * sizeof(unsigned);
  cudaStream_t main = side_stream(), side = side_stream();
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
  auto* state = device<unsigned>(bytes);
  auto* large = device<unsigned>(large_bytes);
  auto* out = device<unsigned>(bytes);
  auto* out_side = device<unsigned>(bytes);
  auto* total = device<unsigned>(bytes);

  if (argc > 3) {
    size_t free = 0, total = 0;
    CHECK(cudaMemGetInfo(&free, &total));
    device<unsigned>(free - std::strtoull(argv[3], nullptr, 10));
  }

  // Both streams use each scratch block: the race. The side stream is late, so launches come out
  // right.
  std::vector<unsigned*> scratch;
  for (int i = 0; i < kRounds; ++i) scratch.push_back(device<unsigned>(bytes));
  CHECK(cudaDeviceSynchronize());  // sets are asynchronous, and our streams wait for none
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  advance<<<kWords / 256, 256, 0, main>>>(state);
  order(main, side, fork);
  spin<<<1, 1, 0, side>>>(400000);
  for (unsigned* block : scratch) {
    scatter_into<<<kWords / 256, 256, 0, main>>>(state, block, 1);
    gather<<<kWords / 256, 256, 0, main>>>(block, large, out);
    scatter_into<<<kWords / 256, 256, 0, side>>>(state, block, 2);
    gather<<<kWords / 256, 256, 0, side>>>(block, large, out_side);
  }
  order(side, main, join);
  add_up<<<kWords / 256, 256, 0, main>>>(state, total);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(main, &graph));
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));

  std::vector<unsigned> expected(kWords, 0), sum(kWords, 0), seen(kWords);
  const auto same = [&](const unsigned* device_words, const std::vector<unsigned>& words) {
    CHECK(cudaMemcpy(seen.data(), device_words, bytes, cudaMemcpyDeviceToHost));
    return seen == words;
  };
  for (int launch = 1; launch <= launches; ++launch) {
    CHECK(cudaGraphLaunch(exec, main));
    CHECK(cudaStreamSynchronize(main));
    for (int i = 0; i < kWords; ++i) {
      expected[i] = expected[i] * 1664525u + 1013904223u + i;
      sum[i] += expected[i];
    }
    if (!same(state, expected) || !same(total, sum)) {
      std::printf("wrong after launch %d\n", launch);
      return 1;
    }
  }
  std::printf("right after %d launches\n", launches);
  return 0;
}

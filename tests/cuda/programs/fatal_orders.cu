// SPDX-License-Identifier: Apache-2.0
// fatal_orders ARM race|clean: a graph that comes out right as it is launched, in which another
// legal order ends the process.
//
//   garbage   a copy on a side stream should wait for the table that it copies; a kernel behind the
//             join takes what it copied for indices. Nobody is late, so launches come out right.
//   fatal     the kernel on the side stream takes the table for indices itself
//   hang      a kernel on a side stream waits for a flag that a kernel on the main stream sets: it
//             needs both to run at once, or the other first. clean: an edge says so.
//
// Prints "right after N launches", or what was wrong.
#include "program.h"

namespace {

constexpr int kLaunches = 40;
constexpr int kGarbage = 0x3fffffff;  // an index 4 GiB behind the table's end

__global__ void fill(int* table, int value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  table[i] = value;
}
__global__ void spoil(int* table) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  table[i] = kGarbage;
}
__global__ void copy(const int* from, int* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = from[i];
}
__global__ void look_up(const int* indices, const float* values, float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = values[indices[i]];
}
__global__ void spin(long long ticks) {
  const long long end = clock64() + ticks;
  while (clock64() < end) {
  }
}
__global__ void set(volatile int* flag) { *flag = 1; }
__global__ void wait_for(const volatile int* flag, float* out) {
  while (*flag == 0) {
  }
  *out = 7;
}
__global__ void clear(int* flag) { *flag = 0; }

struct Memory {
  int *table, *copied, *flag;
  float *values, *out;
};

void capture_table(const char* arm, bool race, const Memory& m, cudaStream_t main,
                   cudaStream_t side) {
  const bool garbage = !std::strcmp(arm, "garbage");
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
  if (race) order(main, side, fork);
  fill<<<kGrid, kBlock, 0, main>>>(m.table, 3);
  if (!race) order(main, side, fork);
  spin<<<1, 1, 0, side>>>(400000);  // late, so that no launch loses the race
  if (garbage)
    copy<<<kGrid, kBlock, 0, side>>>(m.table, m.copied);
  else
    look_up<<<kGrid, kBlock, 0, side>>>(m.table, m.values, m.out);
  order(side, main, join);
  if (garbage) look_up<<<kGrid, kBlock, 0, main>>>(m.copied, m.values, m.out);
  spoil<<<kGrid, kBlock, 0, main>>>(m.table);
}

void capture_flag(bool race, const Memory& m, cudaStream_t main, cudaStream_t side) {
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
  if (race) order(main, side, fork);
  set<<<1, 1, 0, main>>>(m.flag);
  if (!race) order(main, side, fork);
  wait_for<<<1, 1, 0, side>>>(m.flag, m.out);
  order(side, main, join);
  clear<<<1, 1, 0, main>>>(m.flag);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: fatal_orders ARM race|clean\n"), 2;
  const bool race = !std::strcmp(argv[2], "race"), hang = !std::strcmp(argv[1], "hang");
  cudaStream_t main = side_stream(), side = side_stream();
  Memory m{};
  CHECK(cudaMalloc(&m.table, kElements * sizeof(int)));
  CHECK(cudaMalloc(&m.copied, kElements * sizeof(int)));
  CHECK(cudaMalloc(&m.flag, sizeof(int)));
  m.values = device_floats(), m.out = device_floats();
  CHECK(cudaMemset(m.flag, 0, sizeof(int)));
  produce<<<kGrid, kBlock>>>(m.values, 1);
  fill<<<kGrid, kBlock>>>(m.copied, 0);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  hang ? capture_flag(race, m, main, side) : capture_table(argv[1], race, m, main, side);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaStreamEndCapture(main, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < kLaunches; ++i) {
    CHECK(cudaMemsetAsync(m.out, 0, sizeof(float), main));
    CHECK(cudaGraphLaunch(exec, main));
    float out = 0;
    CHECK(cudaMemcpyAsync(&out, m.out, sizeof out, cudaMemcpyDeviceToHost, main));
    CHECK(cudaStreamSynchronize(main));
    const float expected = hang ? 7 : 4;
    if (out != expected) return std::printf("%g, not %g\n", out, expected), 1;
  }
  std::printf("right after %d launches\n", kLaunches);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// two_threads LAUNCHES: two threads launch one graph with a race, update its exec and allocate
// between their launches, while it may be explored. After all of it the state must be what so many
// launches leave. Prints "right after N launches", or what was wrong.
#include <mutex>
#include <thread>

#include "program.h"

namespace {

__global__ void advance(unsigned* state) { *state = *state * 1664525u + 1013904223u; }
__global__ void spin(long long ticks) {
  const long long end = clock64() + ticks;
  while (clock64() < end) {
  }
}

// What the threads share.
struct Work {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  std::mutex turn;  // a launch and an update must not overlap
};

void launch_often(Work* work, int launches) {
  cudaStream_t stream = side_stream();
  for (int i = 0; i < launches; ++i) {
    const std::lock_guard lock(work->turn);
    CHECK(cudaGraphLaunch(work->exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    if (i % 8 == 0) {
      cudaGraphExecUpdateResultInfo info;
      CHECK(cudaGraphExecUpdate(work->exec, work->graph, &info));
    }
    if (i % 16 == 0) {
      void* block = nullptr;
      CHECK(cudaMalloc(&block, 1 << 20));
      CHECK(cudaFree(block));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 500;
  cudaStream_t main = side_stream(), side = side_stream();
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
  float *p = device_floats(), *out = device_floats();
  unsigned* state = nullptr;
  CHECK(cudaMalloc(&state, sizeof *state));
  CHECK(cudaMemset(state, 0, sizeof *state));
  CHECK(cudaDeviceSynchronize());
  Work work;
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  order(main, side, fork);
  produce<<<kGrid, kBlock, 0, main>>>(p, 1);
  spin<<<1, 1, 0, side>>>(100000);
  consume<<<kGrid, kBlock, 0, side>>>(p, out);
  order(side, main, join);
  advance<<<1, 1, 0, main>>>(state);
  CHECK(cudaStreamEndCapture(main, &work.graph));
  CHECK(cudaGraphInstantiate(&work.exec, work.graph, 0));
  std::thread other([&] { launch_often(&work, launches); });
  launch_often(&work, launches);
  other.join();
  unsigned expected = 0, found = 0;
  for (int i = 0; i < 2 * launches; ++i) expected = expected * 1664525u + 1013904223u;
  CHECK(cudaMemcpy(&found, state, sizeof found, cudaMemcpyDeviceToHost));
  if (found != expected) return std::printf("%u, not %u\n", found, expected), 1;
  std::printf("right after %d launches\n", 2 * launches);
  return 0;
}

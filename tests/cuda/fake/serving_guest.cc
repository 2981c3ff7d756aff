// SPDX-License-Identifier: Apache-2.0
// The program under test for recordings that do not end: it captures one graph, as a server does
// when it starts, and then serves. The side stream reads a block of the graph that main drops too
// early, and main's next one gets its bytes. A request launches the graph and does work outside of
// it, on blocks that come and go. In the last one a block is handed out again while the side stream
// may still read it.
//
//   serving_guest REQUESTS
//
// Says "done".
#include <cuda.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "allocator.h"

using Kernel = void (*)(void** params);
extern "C" CUfunction fake_kernel(const char* name, size_t parameters, Kernel run);

namespace {

constexpr size_t kBytes = 4096;
constexpr int kBlocksOfARequest = 40;
constexpr size_t kEntriesAtATime = 1000;

CUstream main_stream, side;

void touch(void** params) { ++**static_cast<unsigned**>(params[0]); }
void read_one(void** params) {
  **static_cast<unsigned**>(params[1]) = **static_cast<unsigned**>(params[0]);
}

void write(CUdeviceptr block, CUstream stream) {
  static const CUfunction function = fake_kernel("_Z5writePj", 1, touch);
  void* params[] = {&block};
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
}
void read(CUdeviceptr from, CUdeviceptr to, CUstream stream) {
  static const CUfunction function = fake_kernel("_Z4readPKjPj", 2, read_one);
  void* params[] = {&from, &to};
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
}

// A block that the side stream reads goes back, and out again, before main has waited for it.
void drop_too_early(Allocator& pool, CUdeviceptr result, CUevent fork, CUevent join) {
  const CUdeviceptr shared = pool.get(kBytes, main_stream);
  write(shared, main_stream);
  cuEventRecord(fork, main_stream);
  cuStreamWaitEvent(side, fork, 0);
  read(shared, result, side);
  pool.drop(shared, main_stream);
  const CUdeviceptr next = pool.get(kBytes, main_stream);
  write(next, main_stream);
  cuEventRecord(join, side);
  cuStreamWaitEvent(main_stream, join, 0);
  pool.drop(next, main_stream);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || cuInit(0) != CUDA_SUCCESS) return 3;
  for (CUstream* stream : {&main_stream, &side}) cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
  CUevent fork, join;
  for (CUevent* event : {&fork, &join}) cuEventCreate(event, 0);
  Allocator pool(64 * kBytes, kEntriesAtATime);
  const CUdeviceptr weights = pool.get(kBytes, main_stream), result = pool.get(kBytes, main_stream);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  cuStreamBeginCapture_v2(main_stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  read(weights, result, main_stream);
  drop_too_early(pool, result, fork, join);
  cuStreamEndCapture(main_stream, &graph);
  cuGraphInstantiateWithFlags(&exec, graph, 0);
  for (int i = 0; i < std::atoi(argv[1]); ++i) {
    cuGraphLaunch(exec, main_stream);
    for (int k = 0; k < kBlocksOfARequest; ++k) {
      const CUdeviceptr block = pool.get(kBytes, main_stream);
      write(block, main_stream);
      pool.drop(block, main_stream);
    }
    cuStreamSynchronize(main_stream);
  }
  drop_too_early(pool, result, fork, join);
  cuStreamSynchronize(main_stream);
  pool.tell();
  std::puts("done");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// The program under test for repairs of a whole step: the one that tests/cuda/programs/server.py
// captures for a batch, 48 kernels on two streams over blocks of a caching allocator. The side
// stream reads the first half of a block that main drops too early, and main's last tensor gets its
// bytes. Values are small, so that most bytes of a block are written with what they hold already.
//
//   step_guest LAUNCHES [MICROSECONDS between them]
//
// Says "done".
#include <cuda.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "allocator.h"

using Kernel = void (*)(void** params);
extern "C" CUfunction fake_kernel(const char* name, size_t parameters, Kernel run);

namespace {

constexpr size_t kBytes = 131072, kCount = kBytes / sizeof(unsigned);

template <class Value>
Value* pointer(void** params, size_t index) {
  return *static_cast<Value**>(params[index]);
}
template <class Change>
void each(void** params, size_t from, size_t to, Change change) {
  for (size_t i = 0; i < kCount; ++i)
    pointer<unsigned>(params, to)[i] = change(pointer<unsigned>(params, from)[i]);
}
void mul(void** p) {
  each(p, 0, 1, [](unsigned v) { return v * 5; });
}
void add(void** p) {
  each(p, 0, 1, [](unsigned v) { return v + 1; });
}
void mul_in_place(void** p) {
  each(p, 0, 0, [](unsigned v) { return v * 7; });
}
void add_in_place(void** p) {
  each(p, 0, 0, [](unsigned v) { return v + 3; });
}
void and_in_place(void** p) {
  each(p, 0, 0, [](unsigned v) { return v & 0xfffff; });
}
void copy(void** p) {
  each(p, 0, 1, [](unsigned v) { return v; });
}
void concatenate(void** p) {
  std::memcpy(pointer<char>(p, 2), pointer<char>(p, 0), kBytes);
  std::memcpy(pointer<char>(p, 2) + kBytes, pointer<char>(p, 1), kBytes);
}
void add_other(void** p) {
  for (size_t i = 0; i < kCount; ++i) pointer<unsigned>(p, 0)[i] += pointer<unsigned>(p, 1)[i];
}

CUstream main_stream, side;

void launch(const char* name, Kernel kernel, CUstream stream, std::vector<CUdeviceptr> arguments) {
  std::vector<void*> values;
  values.reserve(arguments.size());
  for (CUdeviceptr& argument : arguments) values.push_back(&argument);
  cuLaunchKernel(fake_kernel(name, arguments.size(), kernel), 1, 1, 1, 1, 1, 1, 0, stream,
                 values.data(), nullptr);
}
void scramble(CUstream stream, CUdeviceptr block) {
  launch("_Z3mulPj", mul_in_place, stream, {block});
  launch("_Z3addPj", add_in_place, stream, {block});
  launch("_Z3andPj", and_in_place, stream, {block});
}

void submit(Allocator& pool, CUdeviceptr x, CUdeviceptr cache, CUevent fork, CUevent join) {
  std::vector<CUdeviceptr> halves;
  for (int half = 0; half < 2; ++half) {
    const CUdeviceptr product = pool.get(kBytes, main_stream);
    launch("_Z3mulPKjPj", mul, main_stream, {x, product});
    halves.push_back(pool.get(kBytes, main_stream));
    launch("_Z3addPKjPj", add, main_stream, {product, halves.back()});
    pool.drop(product, main_stream);
  }
  const CUdeviceptr fused = pool.get(2 * kBytes, main_stream);
  launch("_Z3catPjS_S_", concatenate, main_stream, {halves[0], halves[1], fused});
  for (const CUdeviceptr half : halves) pool.drop(half, main_stream);
  cuEventRecord(fork, main_stream);
  cuStreamWaitEvent(side, fork, 0);
  const CUdeviceptr kv = pool.get(kBytes, side);
  launch("_Z3mulPKjPj", mul, side, {fused, kv});
  launch("_Z3addPj", add_in_place, side, {kv});
  launch("_Z3andPj", and_in_place, side, {kv});
  for (int i = 0; i < 3; ++i) scramble(side, kv);
  launch("_Z4copyPKjPj", copy, side, {kv, cache});
  const CUdeviceptr q = pool.get(kBytes, main_stream);
  launch("_Z4copyPKjPj", copy, main_stream, {fused + kBytes, q});
  pool.drop(fused, main_stream);
  for (int i = 0; i < 8; ++i) scramble(main_stream, q);
  const CUdeviceptr twice = pool.get(kBytes, main_stream);
  launch("_Z3mulPKjPj", mul, main_stream, {q, twice});
  const CUdeviceptr last = pool.get(2 * kBytes, main_stream);
  launch("_Z3catPjS_S_", concatenate, main_stream, {twice, q, last});
  pool.drop(twice, main_stream);
  cuEventRecord(join, side);
  cuStreamWaitEvent(main_stream, join, 0);
  pool.drop(kv, side);
  launch("_Z4plusPjS_", add_other, main_stream, {last, cache});
  launch("_Z3andPj", and_in_place, main_stream, {last});
  launch("_Z4copyPjS_", copy, main_stream, {last, x});
  pool.drop(last, main_stream), pool.drop(q, main_stream);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || cuInit(0) != CUDA_SUCCESS) return 3;
  for (CUstream* stream : {&main_stream, &side}) cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
  CUevent fork, join;
  for (CUevent* event : {&fork, &join}) cuEventCreate(event, 0);
  CUdeviceptr x = 0, cache = 0;
  for (CUdeviceptr* memory : {&x, &cache}) cuMemAlloc_v2(memory, kBytes);
  Allocator pool(16 * kBytes);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  cuStreamBeginCapture_v2(main_stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  submit(pool, x, cache, fork, join);
  cuStreamEndCapture(main_stream, &graph);
  cuGraphInstantiateWithFlags(&exec, graph, 0);
  const auto pause = static_cast<useconds_t>(argc > 2 ? std::atoi(argv[2]) : 2000);
  for (int i = 0; i < std::atoi(argv[1]); ++i) {
    cuGraphLaunch(exec, main_stream);
    cuStreamSynchronize(main_stream);
    usleep(pause);
  }
  std::puts("done");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// memory_kinds KIND race|clean: memory that is not simply allocated. KIND: alias (two addresses
// show one physical memory, which two streams use through one each), pool (memory of a
// stream-ordered pool goes back while another stream reads it, and comes out again), nodes (the
// same by the allocation and free nodes of one graph), managed (two streams use one managed
// buffer). From parameters alone, exact accesses or first ones. race: a finding. clean: clean.
#include <cuda.h>

#include <string>

#include "program.h"

namespace {

constexpr size_t kBytes = kElements * sizeof(float);

#define CHECK_DRIVER(call)                                                           \
  do {                                                                               \
    const CUresult result_ = (call);                                                 \
    if (result_ != CUDA_SUCCESS) {                                                   \
      std::fprintf(stderr, "%s:%d: driver error %d\n", __FILE__, __LINE__, result_); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

struct Streams {
  cudaStream_t main = side_stream(), side = side_stream();
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
};

float* shown(CUmemGenericAllocationHandle handle, size_t bytes) {
  CUdeviceptr address = 0;
  CHECK_DRIVER(cuMemAddressReserve(&address, bytes, 0, 0, 0));
  CHECK_DRIVER(cuMemMap(address, bytes, 0, handle, 0));
  CUmemAccessDesc access = {};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CHECK_DRIVER(cuMemSetAccess(address, bytes, &access, 1));
  return reinterpret_cast<float*>(address);
}

void alias(bool race, Streams& s) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t bytes = 0;
  CHECK_DRIVER(
      cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUmemGenericAllocationHandle handle = 0;
  CHECK_DRIVER(cuMemCreate(&handle, bytes, &properties, 0));
  float *here = shown(handle, bytes), *there = shown(handle, bytes);
  CHECK(cudaMemsetAsync(here, 0, kBytes, s.main));
  if (!race) order(s.main, s.side, s.fork);
  CHECK(cudaMemsetAsync(there, 1, kBytes, s.side));
  CHECK(cudaDeviceSynchronize());
  for (float* address : {here, there})
    CHECK_DRIVER(cuMemUnmap(reinterpret_cast<CUdeviceptr>(address), bytes));
  CHECK_DRIVER(cuMemRelease(handle));
}

// `next` gets the bytes of `first`, which the side stream still reads.
void reuse(bool race, Streams& s, float* out) {
  float *first = nullptr, *next = nullptr;
  CHECK(cudaMallocAsync(&first, kBytes, s.main));
  produce<<<kGrid, kBlock, 0, s.main>>>(first, 1);
  order(s.main, s.side, s.fork);
  consume<<<kGrid, kBlock, 0, s.side>>>(first, out);
  if (!race) order(s.side, s.main, s.join);
  CHECK(cudaFreeAsync(first, s.main));
  CHECK(cudaMallocAsync(&next, kBytes, s.main));
  produce<<<kGrid, kBlock, 0, s.main>>>(next, 2);
  if (race) order(s.side, s.main, s.join);
  CHECK(cudaFreeAsync(next, s.main));
}

void pool(bool race, Streams& s) {
  float* out = device_floats();
  reuse(race, s, out);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(out));
}

void nodes(bool race, Streams& s) {
  float* out = device_floats();
  CHECK(cudaStreamBeginCapture(s.main, cudaStreamCaptureModeGlobal));
  reuse(race, s, out);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(s.main, &graph));
  launch_graph(graph, s.main, 3);
  CHECK(cudaFree(out));
}

void managed(bool race, Streams& s) {
  float *memory = nullptr, *out = device_floats();
  CHECK(cudaMallocManaged(&memory, kBytes));
  produce<<<kGrid, kBlock, 0, s.main>>>(memory, 1);
  if (!race) order(s.main, s.side, s.fork);
  consume<<<kGrid, kBlock, 0, s.side>>>(memory, out);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(memory));
  CHECK(cudaFree(out));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  const bool race = wants_race(argc - 1, argv + 1);
  CHECK(cudaFree(nullptr));
  Streams streams;
  if (kind == "alias") return alias(race, streams), 0;
  if (kind == "pool") return pool(race, streams), 0;
  if (kind == "nodes") return nodes(race, streams), 0;
  if (kind == "managed") return managed(race, streams), 0;
  std::fprintf(stderr, "%s: no such kind\n", kind.c_str());
  return 2;
}

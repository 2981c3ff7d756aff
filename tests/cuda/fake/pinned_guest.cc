// SPDX-License-Identifier: Apache-2.0
// The program under test for pinned sources: copies a pinned buffer to the device and rewrites it,
// in the ways that its arms name. In arms ending in `-clean` the CPU never wrote before a copy was
// known to be done, or it was not the CPU that wrote.
#include <cuda.h>
#include <sys/mman.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>

extern "C" CUfunction fake_function(const char* name, size_t parameters);

namespace {

constexpr size_t kBytes = 4096;
constexpr size_t kLarge = 3 << 20;

CUstream stream, side;
CUevent event;
CUdeviceptr device;
unsigned char* pinned;

void copy(size_t bytes = kBytes) { cuMemcpyHtoDAsync_v2(device, pinned, bytes, stream); }
void rewrite() { ++pinned[100]; }
void synchronise() { cuStreamSynchronize(stream); }

CUgraphExec graph_of(const std::function<void()>& work) {
  CUgraph graph;
  CUgraphExec exec;
  cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  work();
  cuStreamEndCapture(stream, &graph);
  cuGraphInstantiateWithFlags(&exec, graph, 0);
  return exec;
}

void launch_and_rewrite(const std::function<void()>& work, bool wait) {
  CUgraphExec exec = graph_of(work);
  for (int i = 0; i < 2; ++i) {
    cuGraphLaunch(exec, stream);
    if (wait) synchronise();
    rewrite();
  }
  synchronise();
}

void copy_and_callback() {
  copy();
  cuLaunchHostFunc(stream, nullptr, nullptr);
}

// A kernel that is given the buffer's address; what it writes, the CPU writes in its place.
void write_by_kernel() {
  CUfunction function = fake_function("_Z5writePf", 1);
  void* params[] = {&pinned};
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
  rewrite();
}

void map_and_register(bool unmap) {
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pinned = static_cast<unsigned char*>(memory);
  cuMemHostRegister_v2(memory, kBytes, 0);
  copy();
  if (unmap) munmap(memory, kBytes);
  if (!unmap) rewrite();
  synchronise();
}

const std::map<std::string, std::function<void()>> kArms = {
    {"stream-race", [] { copy(), rewrite(), synchronise(); }},
    {"stream-clean", [] { copy(), synchronise(), rewrite(), synchronise(); }},
    {"unchanged-clean", [] { copy(), copy(), synchronise(); }},
    {"context-race", [] { copy(), rewrite(), cuCtxSynchronize(); }},
    {"event-race",
     [] { copy(), cuEventRecord(event, stream), rewrite(), cuEventSynchronize(event); }},
    {"event-clean",
     [] { copy(), cuEventRecord(event, stream), cuEventSynchronize(event), rewrite(), copy(); }},
    {"early-event-race",
     [] {
       cuEventRecord(event, stream), copy(), cuEventSynchronize(event), rewrite(), synchronise();
     }},
    {"query-race", [] { copy(), rewrite(), cuStreamQuery(stream); }},
    {"query-clean", [] { copy(), cuStreamQuery(stream), rewrite(), copy(), synchronise(); }},
    {"event-query-race",
     [] { copy(), cuEventRecord(event, stream), rewrite(), cuEventQuery(event); }},
    {"other-stream-race", [] { copy(), cuStreamSynchronize(side), rewrite(), synchronise(); }},
    {"following-stream-race",
     [] {
       copy(), cuEventRecord(event, stream), cuStreamWaitEvent(side, event, 0), rewrite();
       cuStreamSynchronize(side);
     }},
    {"following-stream-clean",
     [] {
       copy(), cuEventRecord(event, stream), cuStreamWaitEvent(side, event, 0);
       cuStreamSynchronize(side), rewrite(), copy(), synchronise();
     }},
    {"next-copy-race", [] { copy(), rewrite(), copy(), synchronise(); }},
    {"graph-race", [] { launch_and_rewrite([] { copy(); }, false); }},
    {"graph-clean", [] { launch_and_rewrite([] { copy(); }, true); }},
    {"graph-callback-clean", [] { launch_and_rewrite(copy_and_callback, false); }},
    {"callback-clean", [] { copy_and_callback(), rewrite(), synchronise(); }},
    {"before-callback-race", [] { copy(), rewrite(), copy_and_callback(), synchronise(); }},
    {"copied-back-clean",
     [] {
       copy(), cuMemsetD8Async(device, 1, 1, stream);
       cuMemcpyDtoHAsync_v2(pinned, device, kBytes, stream), copy(), synchronise();
     }},
    {"kernel-clean", [] { copy(), write_by_kernel(), synchronise(); }},
    {"graph-kernel-clean",
     [] { cuGraphLaunch(graph_of(write_by_kernel), stream), copy(), rewrite(), synchronise(); }},
    {"registered-race", [] { map_and_register(false); }},
    {"unmapped-clean", [] { map_and_register(true); }},
    {"freed-clean", [] { copy(), cuMemFreeHost(pinned), synchronise(), pinned = nullptr; }},
    {"large-clean", [] { copy(kLarge), ++pinned[2 << 20], synchronise(); }},
    {"many-clean",
     [] {
       for (size_t i = 0; i < 200; ++i) copy(kBytes + i);
       synchronise();
     }},
    {"again-clean",
     [] {
       for (int i = 0; i < 200; ++i) copy();
       synchronise();
     }},
    {"again-race", [] { copy(), copy(), rewrite(), synchronise(); }},
};

}  // namespace

int main(int argc, char** argv) {
  const auto arm = kArms.find(argc > 1 ? argv[1] : "");
  if (arm == kArms.end() || cuInit(0) != CUDA_SUCCESS) return 3;
  for (CUstream* made : {&stream, &side}) cuStreamCreate(made, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&event, 0);
  cuMemAlloc_v2(&device, kLarge);
  void* memory = nullptr;
  cuMemHostAlloc(&memory, kLarge, 0);
  pinned = static_cast<unsigned char*>(memory);
  arm->second();
  std::puts("done");
}

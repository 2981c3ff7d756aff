// SPDX-License-Identifier: Apache-2.0
// The program under test for the stand-in driver: a producer on one stream, a consumer on another,
// captured (`race`, `clean`) or eager (`eager-race`, `eager-clean`). `fork` also works in a forked
// child, `many` launches until a small log is full (`race-many`, `many-race`: with a
// mistake before or after it), `future` calls what only a newer driver has,
// `futures` looks for very much of it, `devices` only counts devices.
#include <cuda.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

extern "C" CUfunction fake_function(const char* name, size_t parameters);

namespace {

CUfunction produce, consume;
CUstream main_stream, side;
CUevent fork_event, join_event;
CUdeviceptr p, out;

void launch(CUfunction function, CUstream stream, CUdeviceptr a, CUdeviceptr b) {
  void* params[] = {&a, &b};
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
}
void order(CUstream before, CUstream after, CUevent event) {
  cuEventRecord(event, before);
  cuStreamWaitEvent(after, event, 0);
}
void step(bool race) {
  if (race) order(main_stream, side, fork_event);
  launch(produce, main_stream, p, 0);
  if (!race) order(main_stream, side, fork_event);
  launch(consume, side, p, out);
  order(side, main_stream, join_event);
}
void captured_step(bool race) {
  CUgraph graph;
  CUgraphExec exec;
  cuStreamBeginCapture_v2(main_stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  step(race);
  cuStreamEndCapture(main_stream, &graph);
  cuGraphInstantiateWithFlags(&exec, graph, 0);
  cuGraphLaunch(exec, main_stream);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string arm = argc > 1 ? argv[1] : "";
  if (cuInit(0) != CUDA_SUCCESS) return 3;
  if (int devices = 0; arm == "devices") return cuDeviceGetCount(&devices) == CUDA_SUCCESS ? 0 : 7;
  produce = fake_function("_Z7producePfm", 2);
  consume = fake_function("_Z7consumePKfPf", 2);
  for (CUstream* stream : {&main_stream, &side}) cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
  for (CUevent* event : {&fork_event, &join_event}) cuEventCreate(event, 0);
  for (CUdeviceptr* pointer : {&p, &out}) cuMemAlloc_v2(pointer, 4000);
  if (arm == "race" || arm == "clean") captured_step(arm == "race");
  if (arm == "eager-race" || arm == "eager-clean") step(arm == "eager-race");
  if (arm == "future") {
    using Call = CUresult (*)(int);
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    const auto call = reinterpret_cast<Call>(dlsym(driver, "cuFutureThing"));
    for (int i = 0; i < 3; ++i)
      if (call(i) != CUDA_SUCCESS) return 5;
  }
  // More functions of the future than anybody counts on, of which none is called.
  for (int i = 0; arm == "futures" && i < 300; ++i)
    if (!dlsym(dlopen("libcuda.so.1", RTLD_NOW), ("cuFuture" + std::to_string(i)).c_str()))
      return 6;
  if (arm == "race-many") step(true);
  for (int i = 0; arm.find("many") != std::string::npos && i < 1000; ++i) step(false);
  if (arm == "many-race") step(true);
  if (arm == "fork") {
    captured_step(false);
    if (const pid_t child = fork(); child == 0) {
      captured_step(true);
      return 0;
    } else if (int status; waitpid(child, &status, 0) != child || status != 0) {
      return 4;
    }
  }
  cuStreamSynchronize(main_stream);
  for (CUdeviceptr pointer : {p, out}) cuMemFree_v2(pointer);
  std::puts("done");
}

// SPDX-License-Identifier: Apache-2.0
// shared_memory: a graph that reads memory which a second process writes all the time. Exploring
// it must not put anything back into that memory: the second process counts values that are not
// the ones it wrote last. The graph has a race, so that there is something to explore.
// Prints "N foreign writes lost".
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

namespace {

constexpr int kWrites = 4000;

int write_meanwhile(const cudaIpcMemHandle_t& handle) {
  unsigned* shared = nullptr;
  CHECK(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&shared), handle,
                             cudaIpcMemLazyEnablePeerAccess));
  int lost = 0;
  for (unsigned i = 1; i <= kWrites; ++i) {
    CHECK(cudaMemcpy(shared, &i, sizeof i, cudaMemcpyHostToDevice));
    usleep(200);
    unsigned seen = 0;
    CHECK(cudaMemcpy(&seen, shared, sizeof seen, cudaMemcpyDeviceToHost));
    lost += seen != i;
  }
  std::printf("%d foreign writes lost\n", lost);
  return lost == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  cudaIpcMemHandle_t handle;
  if (argc == 2) {  // the second process, with the first one's pipe as its input
    if (read(0, &handle, sizeof handle) != static_cast<ssize_t>(sizeof handle)) return 2;
    return write_meanwhile(handle);
  }
  int ends[2];
  if (pipe(ends) != 0) return 2;
  const pid_t child = fork();  // before the first CUDA call
  if (child == 0) {
    dup2(ends[0], 0);
    execl(argv[0], argv[0], "writer", nullptr);
    _exit(127);
  }
  cudaStream_t main = side_stream(), side = side_stream();
  cudaEvent_t fork_event = event_without_timing(), join = event_without_timing();
  float *shared = device_floats(), *scratch = device_floats();
  float *out = device_floats(), *out_side = device_floats();
  CHECK(cudaMemset(shared, 0, kElements * sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaIpcGetMemHandle(&handle, shared));
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  order(main, side, fork_event);
  produce<<<kGrid, kBlock, 0, main>>>(scratch, 1);
  produce<<<kGrid, kBlock, 0, side>>>(scratch, 2);
  combine<<<kGrid, kBlock, 0, main>>>(scratch, shared, out);
  combine<<<kGrid, kBlock, 0, side>>>(scratch, shared, out_side);
  order(side, main, join);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(main, &graph));
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  if (write(ends[1], &handle, sizeof handle) != static_cast<ssize_t>(sizeof handle)) return 2;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    CHECK(cudaGraphLaunch(exec, main));
    CHECK(cudaStreamSynchronize(main));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// SPDX-License-Identifier: Apache-2.0
// pinned_rewritten_graph race|clean: a captured graph copies a pinned buffer to the device and uses
// it; between launches the CPU fills the buffer with the next input. clean: it waits for an event
// behind the launch first.
// The recorder knows the graph's sources from its nodes, digests them at each launch and sees at
// the next one that they changed.
// race: findings of class host (WAR memcpy H2D, host write on the pinned buffer). clean: none.
#include "program.h"

int main(int argc, char** argv) {
  const bool race = wants_race(argc, argv);
  cudaStream_t main = side_stream();
  cudaEvent_t launched = event_without_timing();
  float *in = device_floats(), *out = device_floats(), *input = nullptr;
  CHECK(cudaHostAlloc(&input, kElements * sizeof(float), cudaHostAllocDefault));
  for (int i = 0; i < kElements; ++i) input[i] = static_cast<float>(i);

  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(in, input, kElements * sizeof(float), cudaMemcpyHostToDevice, main));
  consume<<<kGrid, kBlock, 0, main>>>(in, out);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaStreamEndCapture(main, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));

  for (int step = 1; step < 4; ++step) {
    CHECK(cudaGraphLaunch(exec, main));
    CHECK(cudaEventRecord(launched, main));
    if (!race) CHECK(cudaEventSynchronize(launched));
    for (int i = 0; i < kElements; ++i) input[i] = static_cast<float>(step + i);
  }
  CHECK(cudaGraphLaunch(exec, main));
  CHECK(cudaStreamSynchronize(main));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFreeHost(input));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

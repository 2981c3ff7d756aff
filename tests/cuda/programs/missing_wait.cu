// SPDX-License-Identifier: Apache-2.0
// missing_wait race|clean: a captured consumer on a side stream whose fork is taken before the
// producer instead of after it.
// From parameters alone: `consume` reads `p` (pointer to const) unordered with the first access of
// its lifetime, `produce`. race: a finding of class data (RAW produce, consume on p). clean: clean.
#include "program.h"

int main(int argc, char** argv) {
  const bool race = wants_race(argc, argv);
  cudaStream_t main = side_stream(), side = side_stream();
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
  float *p = device_floats(), *out = device_floats();
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  if (race) order(main, side, fork);
  produce<<<kGrid, kBlock, 0, main>>>(p, 1);
  if (!race) order(main, side, fork);
  consume<<<kGrid, kBlock, 0, side>>>(p, out);
  order(side, main, join);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(main, &graph));
  launch_graph(graph, main, 3);
  CHECK(cudaFree(p));
  CHECK(cudaFree(out));
}

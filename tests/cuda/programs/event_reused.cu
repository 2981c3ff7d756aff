// SPDX-License-Identifier: Apache-2.0
// event_reused race|clean: one event object serves all joins of two captures. In the second one its
// record on the first side stream is replaced by one on the second before anybody waits for it.
// From parameters alone: `consume` reads `p` (pointer to const) unordered with the first access of
// its lifetime in that graph, `produce` on the first side stream; the late join orders neither.
// race: a finding of class data (RAW produce, consume on p). clean: clean.
#include "program.h"

int main(int argc, char** argv) {
  const bool race = wants_race(argc, argv);
  cudaStream_t main = side_stream(), one = side_stream(), two = side_stream();
  cudaEvent_t shared = event_without_timing(), late = event_without_timing();
  float *warm = device_floats(), *p = device_floats(), *q = device_floats();
  float *out_p = device_floats(), *out_q = device_floats();

  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  order(main, one, shared);
  produce<<<kGrid, kBlock, 0, one>>>(warm, 1);
  order(one, main, shared);
  cudaGraph_t first = nullptr;
  CHECK(cudaStreamEndCapture(main, &first));

  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  order(main, one, shared);
  order(main, two, shared);
  produce<<<kGrid, kBlock, 0, one>>>(p, 2);
  if (!race) order(one, main, shared);
  if (race) CHECK(cudaEventRecord(shared, one));  // nobody waits for this version
  produce<<<kGrid, kBlock, 0, two>>>(q, 3);
  order(two, main, shared);
  consume<<<kGrid, kBlock, 0, main>>>(p, out_p);
  consume<<<kGrid, kBlock, 0, main>>>(q, out_q);
  order(one, main, late);
  cudaGraph_t second = nullptr;
  CHECK(cudaStreamEndCapture(main, &second));

  launch_graph(first, main, 2);
  launch_graph(second, main, 2);
  for (float* pointer : {warm, p, q, out_p, out_q}) CHECK(cudaFree(pointer));
}

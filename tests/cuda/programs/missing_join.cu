// SPDX-License-Identifier: Apache-2.0
// missing_join race|clean: eager work on two non-blocking streams; the main stream combines both
// halves without waiting for the side stream's.
// From parameters alone: `combine` reads `b` (pointer to const) unordered with the first access of
// its lifetime, `produce` on the side stream. race: a finding of class data (RAW produce, combine
// on b). clean: clean.
#include "program.h"

int main(int argc, char** argv) {
  const bool race = wants_race(argc, argv);
  cudaStream_t main = side_stream(), side = side_stream();
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
  float *a = device_floats(), *b = device_floats(), *out = device_floats();
  order(main, side, fork);
  produce<<<kGrid, kBlock, 0, main>>>(a, 1);
  produce<<<kGrid, kBlock, 0, side>>>(b, 2);
  if (!race) order(side, main, join);
  combine<<<kGrid, kBlock, 0, main>>>(a, b, out);
  CHECK(cudaStreamSynchronize(side));
  CHECK(cudaStreamSynchronize(main));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(out));
}

// SPDX-License-Identifier: Apache-2.0
// pinned_rewritten race|clean: each step fills one pinned buffer and copies it to the device
// asynchronously; the next step fills it again. clean: it waits for the copy first.
// The recorder digests the buffer when the copy is issued and sees at the next copy, or at the
// synchronisation at the end, that it changed.
// race: findings of class host (WAR memcpy H2D, host write on the pinned buffer). clean: none.
#include "program.h"

int main(int argc, char** argv) {
  const bool race = wants_race(argc, argv);
  cudaStream_t main = side_stream();
  float *in = device_floats(), *out = device_floats(), *staging = nullptr;
  CHECK(cudaHostAlloc(&staging, kElements * sizeof(float), cudaHostAllocDefault));
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < kElements; ++i) staging[i] = static_cast<float>(step + i);
    CHECK(cudaMemcpyAsync(in, staging, kElements * sizeof(float), cudaMemcpyHostToDevice, main));
    consume<<<kGrid, kBlock, 0, main>>>(in, out);
    if (!race) CHECK(cudaStreamSynchronize(main));
  }
  CHECK(cudaStreamSynchronize(main));
  CHECK(cudaFreeHost(staging));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

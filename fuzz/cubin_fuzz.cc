// SPDX-License-Identifier: Apache-2.0
// Any bytes as a cubin: nothing, or kernels whose offsets and sizes belong together.
#include <cstddef>
#include <cstdint>

#include "agent/cubin.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const bohr::agent::CubinKernel& kernel : bohr::agent::kernels_of_cubin({data, size})) {
    BOHR_CHECK(!kernel.name.empty());
    BOHR_CHECK(kernel.offsets.size() == kernel.sizes.size());
  }
  return 0;
}

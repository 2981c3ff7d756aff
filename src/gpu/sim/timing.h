// SPDX-License-Identifier: Apache-2.0
// What things cost in virtual time, in nanoseconds. The defaults have the proportions of a large
// GPU: a call costs about as much as a small kernel.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace bohr::gpu::sim {

// One block of a kernel takes block_ns, more or less by up to the share `jitter` of it.
struct KernelCost {
  int64_t block_ns = 2000;
  double jitter = 0.25;
};

struct Timing {
  uint32_t resident_blocks = 64;
  int64_t call_ns = 1000;  // of the host, for each call
  double call_jitter = 0.25;
  int64_t launch_ns = 2000;    // from a call to the earliest start of its work
  int64_t transfer_ns = 1500;  // of a copy or fill, and besides:
  double transfer_bytes_per_ns = 50;
  int64_t host_function_ns = 3000;
  KernelCost kernel;                          // of kernels that are not named below
  std::map<std::string, KernelCost> kernels;  // by name
};

}  // namespace bohr::gpu::sim

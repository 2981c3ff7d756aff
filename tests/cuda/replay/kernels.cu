// SPDX-License-Identifier: Apache-2.0
// Kernels of the tests: each writes a hash of what it reads, so other bytes read are other bytes
// written.
#include <cstdint>

extern "C" __global__ void hash_words(const uint32_t* from, uint32_t* to, uint32_t words,
                                      uint32_t salt) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  uint32_t hash = (from[i] + salt) * 0x9e3779b1u + i;
  hash ^= hash >> 15;
  to[i] = hash * 0x85ebca77u;
}

// A word counts its launches: state that a replay must put back.
extern "C" __global__ void count_up(uint32_t* counter) { ++*counter; }

// What it adds differs from launch to launch.
extern "C" __global__ void add_clock(float* to, uint32_t words) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words) to[i] += static_cast<float>(clock64() & 0xffff);
}

// Waits until somebody sets the flag.
extern "C" __global__ void wait_for(const volatile uint32_t* flag) {
  while (*flag == 0) {
  }
}

// Writes where an index says.
extern "C" __global__ void scatter(const uint32_t* index, uint32_t* to) { to[*index] = 1; }

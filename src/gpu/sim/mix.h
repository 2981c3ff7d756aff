// SPDX-License-Identifier: Apache-2.0
// Numbers that depend on a seed and on what they are for, and on nothing else: not on how many were
// drawn before, so that a block's cost does not change with what ran beside it.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace bohr::gpu::sim {

// The finaliser of SplitMix64.
constexpr uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Chained, and begun with the seed by itself: seed and first part, both often small, would
// otherwise meet as they are, and what seed 1 draws for part 2 would be what seed 2 draws for
// part 1.
constexpr uint64_t mix(uint64_t seed, std::initializer_list<uint64_t> what) {
  uint64_t x = mixed(seed);
  for (const uint64_t part : what) x = mixed(x ^ part);
  return x;
}

// From [0, 1).
constexpr double fraction(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace bohr::gpu::sim

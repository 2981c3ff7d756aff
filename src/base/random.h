// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every platform: splitmix64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bohr {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  size_t below(size_t bound) { return static_cast<size_t>(next() % bound); }
  size_t between(size_t low, size_t high) { return low + below(high - low + 1); }
  bool percent(size_t chance) { return below(100) < chance; }
  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  uint64_t state_;
};

}  // namespace bohr

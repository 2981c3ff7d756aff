// SPDX-License-Identifier: Apache-2.0
// Galloping search for the two ends of a window.
#include "check/windows.h"

namespace bohr::check {

namespace {

// First index from `from` on at which `stop` holds; `stop` must stay true once it is.
template <class Stop>
size_t gallop(size_t from, size_t size, Stop stop) {
  size_t stride = 1, low = from;
  while (low < size && !stop(low)) {
    if (low + stride >= size || stop(low + stride)) break;
    low += stride;
    stride *= 2;
  }
  if (low >= size || stop(low)) return low;
  size_t high = std::min(size, low + stride);
  while (low + 1 < high) {  // stop is false at low, true at high (or high is the end)
    const size_t middle = low + (high - low) / 2;
    (stop(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

void advance(const order::Clocks& clocks, int32_t x, std::span<const Entry> list,
             Fingers* fingers) {
  fingers->low =
      gallop(fingers->low, list.size(), [&](size_t i) { return !clocks.before(list[i].step, x); });
  fingers->high = gallop(std::max(fingers->low, fingers->high), list.size(),
                         [&](size_t i) { return clocks.before(x, list[i].step); });
}

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// What the host hands to our own kernels (device.cu). Plain data, the same layout on both sides.
#pragma once

#include <cstdint>

namespace bohr::replay::cuda {

// A piece of memory as a part of a list of pieces: `offset` is where it begins when the pieces are
// laid one behind the other.
struct Span {
  uint64_t begin = 0;
  uint64_t size = 0;  // bytes
  uint64_t offset = 0;
  uint64_t first_page = 0;  // of all pages of the list, each piece starting a new one
};

constexpr uint32_t kPage = 4096;

// A page that changed; bit i of `words[j]` stands for word 32 j + i, of 4 bytes.
struct ChangedPage {
  uint64_t span = 0;
  uint64_t page = 0;  // within the span
  uint32_t words[kPage / 128] = {};
};

}  // namespace bohr::replay::cuda

// SPDX-License-Identifier: Apache-2.0
// The bytes that a copy or set names: rows of one width, in slices.
#pragma once

#include <cstdint>
#include <vector>

#include "base/range.h"

namespace bohr::trace {

struct Strided {
  uint64_t address = 0;
  uint64_t width = 0;  // of a row, bytes
  uint64_t height = 1;
  uint64_t depth = 1;
  uint64_t pitch = 0;  // between rows; unused when height is 1
  uint64_t slice = 0;  // between slices; unused when depth is 1
};

struct StridedRanges {
  bool representable = true;  // false: it would end beyond the address space
  bool exact = true;          // false: one range around all rows
  std::vector<ByteRange> ranges;
};

StridedRanges strided_ranges(const Strided& memory);

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Rows that follow one another without a gap are one range, and so are slices. What is left is
// listed row by row when there are few, else as one hull, which then only may be accessed.
#include "trace/import_strided.h"

namespace bohr::trace {

namespace {

constexpr uint64_t kRowsListed = 64;

bool multiply(uint64_t a, uint64_t b, uint64_t* out) { return !__builtin_mul_overflow(a, b, out); }
bool add(uint64_t a, uint64_t b, uint64_t* out) { return !__builtin_add_overflow(a, b, out); }

// Bytes from the first to behind the last of `count` pieces of `size` bytes, `step` apart.
bool span(uint64_t size, uint64_t count, uint64_t step, uint64_t* out) {
  uint64_t last = 0;
  return multiply(count - 1, step, &last) && add(last, size, out);
}

}  // namespace

StridedRanges strided_ranges(const Strided& memory) {
  StridedRanges result;
  if (memory.width == 0 || memory.height == 0 || memory.depth == 0) return result;
  uint64_t row = memory.width;
  uint64_t rows = memory.height;
  uint64_t slices = memory.depth;
  uint64_t slice_bytes = 0;
  uint64_t all = 0;
  uint64_t end = 0;
  if (!span(row, rows, memory.pitch, &slice_bytes) ||
      !span(slice_bytes, slices, memory.slice, &all) || !add(memory.address, all, &end)) {
    result.representable = false;
    return result;
  }
  if (rows == 1 || memory.pitch == row) row = slice_bytes, rows = 1;
  if (rows == 1 && (slices == 1 || memory.slice == row)) row = all, slices = 1;
  if (rows > kRowsListed || slices > kRowsListed || rows * slices > kRowsListed) {
    result.exact = false;
    result.ranges.push_back({memory.address, end});
    return result;
  }
  for (uint64_t z = 0; z < slices; ++z)
    for (uint64_t y = 0; y < rows; ++y) {
      const uint64_t begin = memory.address + z * memory.slice + y * memory.pitch;
      result.ranges.push_back({begin, begin + row});
    }
  return result;
}

}  // namespace bohr::trace

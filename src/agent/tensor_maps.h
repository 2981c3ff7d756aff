// SPDX-License-Identifier: Apache-2.0
// Tensor maps that the program encoded. A kernel is given one by value, as 128 opaque bytes, so
// that the memory which it reaches through them is known by their contents alone. Each is logged
// once: equal bytes are of equal tensors.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <unordered_map>

namespace bohr::agent {

struct Recorder;

struct TensorShape {
  uint64_t address = 0;
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  uint32_t rank = 0;
  const cuuint64_t* dims = nullptr;     // `rank` of them, in elements
  const cuuint64_t* strides = nullptr;  // one less, in bytes
  bool interleaved = false;
};

struct TensorMaps {
  std::unordered_map<std::string, uint64_t> bytes;  // by contents: how far they reach
};

// From the first byte to behind the last, gaps between rows included; 0 where that is not known.
uint64_t bytes_of(const TensorShape& shape);

void tensor_map_encoded(Recorder& r, const CUtensorMap& map, const TensorShape& shape);
// One map is changed to the same tensor elsewhere, within one call of the calling thread.
void tensor_map_moving(Recorder& r, const CUtensorMap& map);
void tensor_map_moved(Recorder& r, const CUtensorMap& map, uint64_t address);

}  // namespace bohr::agent

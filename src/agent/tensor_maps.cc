// SPDX-License-Identifier: Apache-2.0
#include "agent/tensor_maps.h"

#include "agent/recorder.h"

namespace bohr::agent {
namespace {

constexpr size_t kMostMaps = 1 << 16;
constexpr uint32_t kMostDimensions = 5;

thread_local uint64_t bytes_before_move = 0;

// Of the packed types the most that an element takes, padding included.
uint64_t element_bits(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 16;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
      return 32;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return 64;
    default:
      return 8;
  }
}

std::string contents_of(const CUtensorMap& map) {
  return {reinterpret_cast<const char*>(&map), sizeof map};
}

void remember(Recorder& r, const CUtensorMap& map, uint64_t address, uint64_t bytes) {
  std::string contents = contents_of(map);
  trace::TensorMap record;
  record.map.assign(contents.begin(), contents.end());
  record.address = address;
  record.bytes = bytes;
  {
    std::lock_guard lock(r.mutex);
    auto& known = r.tensor_maps.bytes;
    if (known.size() >= kMostMaps && !known.contains(contents)) known.clear();
    if (!known.emplace(std::move(contents), bytes).second) return;
  }
  r.log->append(record);
}

}  // namespace

uint64_t bytes_of(const TensorShape& shape) {
  if (shape.interleaved || shape.rank == 0 || shape.rank > kMostDimensions || !shape.dims) return 0;
  if (shape.rank > 1 && !shape.strides) return 0;
  uint64_t bits = 0, bytes = 0;
  if (__builtin_mul_overflow(shape.dims[0], element_bits(shape.type), &bits)) return 0;
  bytes = bits / 8;
  for (uint32_t i = 1; i < shape.rank; ++i) {
    uint64_t more = 0;
    if (shape.dims[i] == 0) return 0;
    if (__builtin_mul_overflow(shape.dims[i] - 1, shape.strides[i - 1], &more) ||
        __builtin_add_overflow(bytes, more, &bytes))
      return 0;
  }
  return bytes;
}

void tensor_map_encoded(Recorder& r, const CUtensorMap& map, const TensorShape& shape) {
  remember(r, map, shape.address, bytes_of(shape));
}

void tensor_map_moving(Recorder& r, const CUtensorMap& map) {
  std::lock_guard lock(r.mutex);
  const auto known = r.tensor_maps.bytes.find(contents_of(map));
  bytes_before_move = known == r.tensor_maps.bytes.end() ? 0 : known->second;
}

void tensor_map_moved(Recorder& r, const CUtensorMap& map, uint64_t address) {
  remember(r, map, address, bytes_before_move);
}

}  // namespace bohr::agent

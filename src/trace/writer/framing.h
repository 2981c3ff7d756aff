// SPDX-License-Identifier: Apache-2.0
// How records lie in an event log. All numbers are little-endian.
//
//   file    = head frame* (zeros | end of file)
//   head    = magic[8] version:u32 head_size:u32 reserved[12] checksum:u32    (of what precedes it)
//   frame   = size:u32 checksum:u32 payload[size] zeros to a multiple of 4
//   payload = kind:varint body                       the body: the kind's fields in their order
//
// A frame's checksum covers its size and its payload. The size is stored last, so a frame is there
// whole or not at all: a writer that is killed leaves a size of 0, which ends the log.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/writer/checksum.h"

namespace bohr::trace {

constexpr uint8_t kLogMagic[8] = {0xb0, 'B', 'O', 'H', 'R', 'L', 'O', 'G'};
constexpr size_t kLogHeadSize = 32;
constexpr size_t kFrameHeadSize = 8;
constexpr size_t kFrameAlignment = 4;
// No record comes near it; a size above it is damage.
constexpr uint32_t kMaxPayload = uint32_t{1} << 28;

constexpr size_t frame_size(size_t payload) {
  return (kFrameHeadSize + payload + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
}

constexpr uint32_t frame_checksum(uint32_t size, const uint8_t* payload) {
  uint8_t head[4] = {};
  store_u32(head, size);
  return crc32c(payload, size, crc32c(head, sizeof head));
}

// Fills `head` (kLogHeadSize bytes).
constexpr void encode_log_head(uint8_t* head, uint32_t version) {
  for (size_t i = 0; i < kLogHeadSize; ++i) head[i] = i < sizeof kLogMagic ? kLogMagic[i] : 0;
  store_u32(head + 8, version);
  store_u32(head + 12, kLogHeadSize);
  store_u32(head + kLogHeadSize - 4, crc32c(head, kLogHeadSize - 4));
}

}  // namespace bohr::trace

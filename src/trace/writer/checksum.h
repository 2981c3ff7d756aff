// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), eight bytes a step. Tables rather than the processor's instruction, so that
// the log is written alike on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bohr::trace {

using Crc32cTables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b]: what byte b contributes when k more bytes follow it in the same step.
constexpr Crc32cTables make_crc32c_tables() {
  constexpr uint32_t kReversedPolynomial = 0x82f63b78;
  Crc32cTables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? kReversedPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}

inline constexpr Crc32cTables kCrc32cTables = make_crc32c_tables();

constexpr uint32_t load_u32(const uint8_t* p) {
  return uint32_t{p[0]} | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
}

constexpr void store_u32(uint8_t* p, uint32_t value) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<uint8_t>(value >> (8 * i));
}

// The checksum of `size` more bytes after those that gave `before` (0 at the beginning).
constexpr uint32_t crc32c(const uint8_t* data, size_t size, uint32_t before = 0) {
  const auto& t = kCrc32cTables;
  uint32_t crc = ~before;
  for (; size >= 8; data += 8, size -= 8) {
    const uint32_t low = load_u32(data) ^ crc;
    const uint32_t high = load_u32(data + 4);
    crc = t[7][low & 0xff] ^ t[6][(low >> 8) & 0xff] ^ t[5][(low >> 16) & 0xff] ^ t[4][low >> 24] ^
          t[3][high & 0xff] ^ t[2][(high >> 8) & 0xff] ^ t[1][(high >> 16) & 0xff] ^
          t[0][high >> 24];
  }
  for (; size > 0; ++data, --size) crc = (crc >> 8) ^ t[0][(crc ^ *data) & 0xff];
  return ~crc;
}

}  // namespace bohr::trace

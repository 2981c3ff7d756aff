// SPDX-License-Identifier: Apache-2.0
// A stable hash of text: equal over runs, machines and versions, for ids that users keep.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bohr {

// FNV-1a, 64 bits, with a final mix so that the low digits depend on all of the text.
constexpr uint64_t hash(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    h ^= static_cast<unsigned char>(c);
    h *= 0x100000001b3ULL;
  }
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93ULL;
  return h ^ (h >> 32);
}

// The lowest `digits` hexadecimal digits.
inline std::string hex(uint64_t value, int digits) {
  std::string text(static_cast<size_t>(digits), '0');
  for (size_t i = text.size(); i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

}  // namespace bohr

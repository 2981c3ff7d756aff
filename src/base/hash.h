// SPDX-License-Identifier: Apache-2.0
// Stable hashes of text and numbers: equal over runs, machines and versions.
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

// Spreads every bit of a number over all of it: the finaliser of SplitMix64.
constexpr uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// A digest of a sequence, one value after the other.
constexpr uint64_t combine(uint64_t digest, uint64_t value) { return mix(digest ^ mix(value)); }

// The lowest `digits` hexadecimal digits.
inline std::string hex(uint64_t value, int digits) {
  std::string text(static_cast<size_t>(digits), '0');
  for (size_t i = text.size(); i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

}  // namespace bohr

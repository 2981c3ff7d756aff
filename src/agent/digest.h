// SPDX-License-Identifier: Apache-2.0
// A digest of memory, to notice that it changed. Four lanes take a word of eight bytes each in
// turn, so that the multiplications overlap.
//
// Each step turns a lane into another one to one, for a given word and for a given lane alike, and
// so does the end for a given pair of others: a change within one word is always noticed, any other
// with a probability of about 1 - 2^-64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace bohr::agent {

class Digest {
 public:
  // All but the last call give a multiple of 32 bytes.
  void add(const void* data, size_t size) {
    const auto* at = static_cast<const unsigned char*>(data);
    Lanes lanes = lanes_;  // the bytes might alias the members
    for (; size >= sizeof(Lanes); at += sizeof(Lanes), size -= sizeof(Lanes)) take(&lanes, at);
    if (size > 0) {
      unsigned char rest[sizeof(Lanes)] = {};
      std::memcpy(rest, at, size);
      take(&lanes, rest);
    }
    lanes_ = lanes;
  }
  uint64_t value() const {
    uint64_t all = 0;
    for (uint64_t lane : {lanes_.a, lanes_.b, lanes_.c, lanes_.d}) all = mixed(all ^ lane);
    return all;
  }

 private:
  struct Lanes {
    uint64_t a = 1, b = 2, c = 3, d = 4;
  };

  static uint64_t mixed(uint64_t x) {
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
  }
  static void take(Lanes* lanes, const unsigned char* at) {
    Lanes words;
    std::memcpy(&words, at, sizeof words);
    lanes->a = mixed(lanes->a ^ words.a);
    lanes->b = mixed(lanes->b ^ words.b);
    lanes->c = mixed(lanes->c ^ words.c);
    lanes->d = mixed(lanes->d ^ words.d);
  }

  Lanes lanes_;
};

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "agent/digest.h"

namespace bohr::agent {
namespace {

std::vector<uint8_t> random_bytes(size_t size) {
  std::mt19937_64 random(size);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

uint64_t digest_of(const std::vector<uint8_t>& bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.value();
}

TEST(AgentDigest, EveryChangeOfOneBitIsNoticed) {
  for (const size_t size : {1u, 7u, 8u, 31u, 32u, 33u, 100u}) {
    std::vector<uint8_t> bytes = random_bytes(size);
    std::set<uint64_t> seen = {digest_of(bytes)};
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
      EXPECT_TRUE(seen.insert(digest_of(bytes)).second) << size << " bytes, bit " << bit;
      bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    }
  }
}

TEST(AgentDigest, BytesThatChangePlacesAreNoticed) {
  std::vector<uint8_t> bytes(64, 0);
  std::set<uint64_t> seen;
  for (uint8_t& byte : bytes) {
    byte = 1;
    EXPECT_TRUE(seen.insert(digest_of(bytes)).second);
    byte = 0;
  }
}

TEST(AgentDigest, PiecesGiveTheDigestOfTheWhole) {
  const std::vector<uint8_t> bytes = random_bytes(1000);
  Digest pieces;
  pieces.add(bytes.data(), 320);
  pieces.add(bytes.data() + 320, 32);
  pieces.add(bytes.data() + 352, 648);
  EXPECT_EQ(pieces.value(), digest_of(bytes));
}

}  // namespace
}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// What is taken for a table of pointers.
#include <gtest/gtest.h>

#include <cstring>

#include "explore/addresses.h"
#include "explore_texts.h"

namespace bohr::test {
namespace {

using explore::holds_addresses;

std::vector<uint8_t> bytes_of(const std::vector<uint64_t>& words) {
  std::vector<uint8_t> bytes(words.size() * 8);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

const std::vector<ByteRange> kMemory = {{0x7f0000000000, 0x7f0000001000},
                                        {0x7f0000200000, 0x7f0000201000}};

TEST(Addresses, OneIsEnough) {
  EXPECT_TRUE(holds_addresses(kMemory, bytes_of({1, 2, 0x7f0000200fff})));
  EXPECT_TRUE(holds_addresses(kMemory, bytes_of({0x7f0000000000})));
}

TEST(Addresses, BetweenBlocksAndBeyondThemAreNone) {
  EXPECT_FALSE(
      holds_addresses(kMemory, bytes_of({0x7f0000001000, 0x7f0000201000, 0x7effffffffff})));
  EXPECT_FALSE(holds_addresses(kMemory, bytes_of({0, 1, ~uint64_t{0}})));
}

TEST(Addresses, AWordThatIsNotWholeIsNone) {
  std::vector<uint8_t> bytes = bytes_of({0x7f0000000000});
  bytes.pop_back();
  EXPECT_FALSE(holds_addresses(kMemory, bytes));
  EXPECT_FALSE(holds_addresses({}, bytes_of({0x7f0000000000})));
  EXPECT_FALSE(holds_addresses(kMemory, {}));
}

TEST(Addresses, MemoryIsAllThatWasHandedOut) {
  const Program program =
      program_of("stream a\nbuffer x 64\nbuffer y 64\na: kernel k reads x writes y\n");
  uint64_t bytes = 0;
  for (const ByteRange& range : explore::memory_of(program)) bytes += range.size();
  EXPECT_EQ(bytes, 128u);
}

}  // namespace
}  // namespace bohr::test

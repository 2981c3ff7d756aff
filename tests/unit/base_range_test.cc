// SPDX-License-Identifier: Apache-2.0
// Sets of ranges against sets of bytes.
#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "base/range.h"

namespace bohr {
namespace {

using Ranges = std::vector<ByteRange>;

std::set<uint64_t> bytes_of(const Ranges& ranges) {
  std::set<uint64_t> bytes;
  for (const ByteRange& range : ranges)
    for (uint64_t at = range.begin; at < range.end; ++at) bytes.insert(at);
  return bytes;
}

TEST(Ranges, WithoutHoles) {
  EXPECT_EQ(without(Ranges{{0, 10}}, Ranges{}), (Ranges{{0, 10}}));
  EXPECT_EQ(without(Ranges{{0, 10}}, Ranges{{3, 5}}), (Ranges{{0, 3}, {5, 10}}));
  EXPECT_EQ(without(Ranges{{0, 10}, {20, 30}}, Ranges{{5, 25}}), (Ranges{{0, 5}, {25, 30}}));
  EXPECT_EQ(without(Ranges{{2, 4}}, Ranges{{0, 10}}), Ranges{});
}

TEST(Ranges, WithoutHolesAreTheBytesThatAreLeft) {
  Random random(5);
  const auto some = [&] {
    Ranges ranges;
    for (uint64_t i = random.below(5); i > 0; --i) {
      const uint64_t begin = random.below(40);
      ranges.push_back({begin, begin + random.below(12)});
    }
    return merged(std::move(ranges));
  };
  for (int round = 0; round < 1000; ++round) {
    const Ranges ranges = some(), holes = some();
    std::set<uint64_t> left = bytes_of(ranges);
    for (const uint64_t byte : bytes_of(holes)) left.erase(byte);
    const Ranges found = without(ranges, holes);
    EXPECT_EQ(bytes_of(found), left);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_FALSE(found[i].empty());
      if (i > 0) {
        EXPECT_LE(found[i - 1].end, found[i].begin);
      }
    }
  }
}

}  // namespace
}  // namespace bohr

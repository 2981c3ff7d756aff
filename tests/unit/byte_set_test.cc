// SPDX-License-Identifier: Apache-2.0
// Against one flag for each byte.
#include "base/byte_set.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace bohr {
namespace {

constexpr uint64_t kBytes = 24;

TEST(ByteSet, IsWhatAFlagForEachByteSays) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    ByteSet set;
    std::array<bool, kBytes> flags = {};
    for (int step = 0; step < 30; ++step) {
      const uint64_t begin = random() % (kBytes - 1);
      const ByteRange range{begin, begin + 1 + random() % (kBytes - 1 - begin)};
      const bool adds = random() % 2 == 0;
      adds ? set.add(range) : set.remove(range);
      for (uint64_t at = range.begin; at < range.end; ++at) flags[at] = adds;
      for (uint64_t from = 0; from < kBytes; ++from) {
        bool all = true, some = false;
        for (uint64_t to = from; to < kBytes; ++to) {
          all = all && flags[to], some = some || flags[to];
          ASSERT_EQ(set.contains({from, to + 1}), all) << from << ' ' << to;
          ASSERT_EQ(set.meets({from, to + 1}), some) << from << ' ' << to;
        }
      }
    }
  }
}

}  // namespace
}  // namespace bohr

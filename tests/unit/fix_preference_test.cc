// SPDX-License-Identifier: Apache-2.0
// Fewest changes, then critical path, then memory.
#include <gtest/gtest.h>

#include <vector>

#include "fix/preference.h"

namespace bohr::fix {
namespace {

Repair repair(size_t parts, double critical_us, uint64_t bytes, bool verified = true) {
  Repair one;
  one.parts.resize(parts);
  one.verified = verified;
  one.cost.critical_us = critical_us;
  one.cost.pool_bytes = bytes;
  return one;
}

std::vector<uint64_t> bytes_of(std::vector<Repair> proposals) {
  by_preference(proposals);
  std::vector<uint64_t> bytes;
  for (const Repair& one : proposals) bytes.push_back(one.cost.pool_bytes);
  return bytes;
}

using Bytes = std::vector<uint64_t>;

TEST(FixPreference, FewestChangesComeFirst) {
  EXPECT_EQ(bytes_of({repair(2, 10, 1), repair(1, 90, 2)}), (Bytes{2, 1}));
}
TEST(FixPreference, ThenTheShorterCriticalPath) {
  EXPECT_EQ(bytes_of({repair(1, 90, 1), repair(1, 80, 2)}), (Bytes{2, 1}));
}
TEST(FixPreference, ThenLessMemoryWherePathsAreAlike) {
  EXPECT_EQ(bytes_of({repair(1, 80.01, 3), repair(1, 80.02, 2)}), (Bytes{2, 3}));
}
TEST(FixPreference, WhatIsNotVerifiedComesLast) {
  EXPECT_EQ(bytes_of({repair(1, 0, 1, false), repair(3, 90, 2), repair(2, 0, 3, false)}),
            (Bytes{2, 1, 3}));
}
TEST(FixPreference, WhatIsNotKnownDecidesNothing) {
  EXPECT_EQ(bytes_of({repair(1, 0, 5), repair(1, 80, 2)}), (Bytes{5, 2}));
}

}  // namespace
}  // namespace bohr::fix

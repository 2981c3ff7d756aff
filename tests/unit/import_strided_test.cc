// SPDX-License-Identifier: Apache-2.0
#include "trace/import_strided.h"

#include <gtest/gtest.h>

namespace bohr::trace {
namespace {

using Ranges = std::vector<ByteRange>;

TEST(StridedRanges, OneRowIsOneRange) {
  EXPECT_EQ(strided_ranges({100, 16}).ranges, (Ranges{{100, 116}}));
  EXPECT_TRUE(strided_ranges({100, 16, 1, 1, 999, 999}).exact);
}

TEST(StridedRanges, RowsWithoutGapsAreOneRange) {
  EXPECT_EQ(strided_ranges({0, 16, 4, 1, 16, 0}).ranges, (Ranges{{0, 64}}));
  EXPECT_EQ(strided_ranges({0, 16, 4, 3, 16, 64}).ranges, (Ranges{{0, 192}}));
  EXPECT_EQ(strided_ranges({0, 16, 1000, 1000, 16, 16000}).ranges, (Ranges{{0, 16000000}}));
}

TEST(StridedRanges, FewRowsAreListed) {
  EXPECT_EQ(strided_ranges({0, 16, 2, 1, 64, 0}).ranges, (Ranges{{0, 16}, {64, 80}}));
  EXPECT_EQ(strided_ranges({0, 16, 2, 2, 16, 100}).ranges, (Ranges{{0, 32}, {100, 132}}));
  EXPECT_TRUE(strided_ranges({0, 16, 64, 1, 64, 0}).exact);
}

TEST(StridedRanges, ManyRowsAreAHullThatOnlyMayBeAccessed) {
  const StridedRanges many = strided_ranges({0, 16, 65, 1, 64, 0});
  EXPECT_FALSE(many.exact);
  EXPECT_EQ(many.ranges, (Ranges{{0, 64 * 64 + 16}}));
}

TEST(StridedRanges, NothingIsNothing) {
  EXPECT_TRUE(strided_ranges({100, 0}).ranges.empty());
  EXPECT_TRUE(strided_ranges({100, 8, 0}).ranges.empty());
}

TEST(StridedRanges, BeyondTheAddressSpaceIsRefused) {
  EXPECT_FALSE(strided_ranges({~uint64_t{0} - 8, 16}).representable);
  EXPECT_FALSE(strided_ranges({0, 8, ~uint64_t{0}, 1, ~uint64_t{0}, 0}).representable);
}

}  // namespace
}  // namespace bohr::trace

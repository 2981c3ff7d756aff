// SPDX-License-Identifier: Apache-2.0
// Intervals of shares: against the binomial distribution summed by hand, and at the ends.
#include <gtest/gtest.h>

#include <cmath>

#include "stats/share.h"

namespace bohr::stats {
namespace {

// The chance of at most `k` of `n` at the true share `p`.
double at_most(int k, int n, double p) {
  double sum = 0;
  for (int i = 0; i <= k; ++i)
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1)) *
           std::pow(p, i) * std::pow(1 - p, n - i);
  return sum;
}

TEST(StatsShare, EachEndIsWhereTheTailIsAFortieth) {
  for (const auto& [k, n] : {std::pair(1, 10), std::pair(14, 200), std::pair(199, 200)}) {
    const Share share = share_of(k, n);
    EXPECT_NEAR(at_most(k, n, share.high), 0.025, 1e-9) << k << " of " << n;
    EXPECT_NEAR(1 - at_most(k - 1, n, share.low), 0.025, 1e-9) << k << " of " << n;
    EXPECT_DOUBLE_EQ(share.share, static_cast<double>(k) / n);
  }
}

TEST(StatsShare, NothingInManyTrialsExcludesWhatWouldHaveShown) {
  const Share share = share_of(0, 400);
  EXPECT_EQ(share.low, 0);
  EXPECT_NEAR(std::pow(1 - share.high, 400), 0.025, 1e-9);
}

TEST(StatsShare, AlwaysReachesOne) {
  const Share share = share_of(20, 20);
  EXPECT_EQ(share.high, 1);
  EXPECT_NEAR(std::pow(share.low, 20), 0.025, 1e-9);
}

TEST(StatsShare, WithoutTrialsNothingIsKnown) {
  const Share share = share_of(0, 0);
  EXPECT_EQ(share.low, 0);
  EXPECT_EQ(share.high, 1);
}

}  // namespace
}  // namespace bohr::stats

// SPDX-License-Identifier: Apache-2.0
// The part of the suite that is about bytes without meaning.
#include "conformance/replayer_suite.h"

namespace bohr::test {

using replay::Outcome;
using replay::Request;

TEST_P(ReplayerSuite, IgnoredBytesAreInNoDigest) {
  const Outcome right = run({.order = right_, .stepwise = true});
  const auto use = static_cast<size_t>(step("use")), last = static_cast<size_t>(step("last"));
  const std::vector<ByteRange> y = {range("y")};
  const Outcome right_y = run({.order = right_, .stepwise = true, .ignored = y});
  const Outcome wrong_y = run({.order = wrong_, .stepwise = true, .ignored = y});
  const auto left = digests();
  EXPECT_EQ(right_y.digests[use], wrong_y.digests[use]) << "it writes y only";
  EXPECT_NE(right_y.digests[last], wrong_y.digests[last]) << "it reads y and writes z";
  EXPECT_EQ(right_y.digests[last], right.digests[last]);
  run({.order = wrong_});
  EXPECT_EQ(left, digests()) << "ignored bytes are written like others";
}

TEST_P(ReplayerSuite, IgnoredBytesStopNoOrder) {
  std::vector<ByteRange> ignored = {range("y")};
  const Outcome right = run({.order = right_, .stepwise = true, .ignored = ignored});
  const Request wrong = {
      .order = wrong_, .stepwise = true, .expected = right.digests, .ignored = ignored};
  EXPECT_EQ(run(wrong).ran, 4u) << "last, the fourth, is the first that differs";
  EXPECT_NE(run(wrong).digests, right.digests);
  ignored = merged({range("y"), range("z")});
  const Outcome both = run({.order = right_, .stepwise = true, .ignored = ignored});
  const Outcome same =
      run({.order = wrong_, .stepwise = true, .expected = both.digests, .ignored = ignored});
  EXPECT_EQ(same.ran, 4u);
  EXPECT_EQ(same.digests, both.digests);
}

TEST_P(ReplayerSuite, BytesThatAreIgnoredInPartStillDiffer) {
  const ByteRange y = range("y");
  const auto use = static_cast<size_t>(step("use"));
  const uint64_t middle = y.begin + y.size() / 2;
  for (const ByteRange& half : {ByteRange{y.begin, middle}, ByteRange{middle, y.end}}) {
    const std::vector<ByteRange> ignored = {half};
    const Outcome right = run({.order = right_, .stepwise = true, .ignored = ignored});
    const Outcome wrong = run({.order = wrong_, .stepwise = true, .ignored = ignored});
    EXPECT_NE(right.digests[use], wrong.digests[use]);
  }
}

TEST_P(ReplayerSuite, RefusesIgnoredRangesInNoOrder) {
  const ByteRange y = range("y");
  const std::vector<ByteRange> twice = {y, y};
  const std::vector<ByteRange> empty = {{y.begin, y.begin}};
  for (const auto& ignored : {twice, empty}) {
    const auto outcome = replayer_->run({.order = right_, .stepwise = true, .ignored = ignored});
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, "replay-request");
  }
}

}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
// One promise a test.
#include "conformance/replayer_suite.h"

#include <algorithm>

#include "model/outputs.h"

namespace bohr::test {

using replay::Bytes;
using replay::Content;
using replay::Outcome;
using replay::Pin;
using replay::Request;

void ReplayerSuite::SetUp() {
  replayer_ = GetParam().make();
  ASSERT_NE(replayer_, nullptr);
  const auto saved = replayer_->learn();
  ASSERT_TRUE(saved.ok()) << to_string(saved.error());
  right_ = order({"first", "use", "second", "last"});
  wrong_ = order({"first", "second", "use", "last"});
}

int32_t ReplayerSuite::step(const std::string& label) const {
  const auto steps = replayer_->steps();
  for (size_t i = 0; i < steps.size(); ++i)
    if (label_of(replayer_->program(), work_of(replayer_->program(), steps[i])) == label)
      return static_cast<int32_t>(i);
  ADD_FAILURE() << "no step " << label;
  return 0;
}

std::vector<int32_t> ReplayerSuite::order(const std::vector<std::string>& labels) const {
  std::vector<int32_t> steps;
  for (const std::string& label : labels) steps.push_back(step(label));
  return steps;
}

ByteRange ReplayerSuite::range(const std::string& buffer) const {
  for (const Lifetime& lifetime : replayer_->program().lifetimes)
    if (lifetime.name == buffer) return lifetime.pieces.front().range;
  ADD_FAILURE() << "no buffer " << buffer;
  return {};
}

std::vector<uint64_t> ReplayerSuite::digests() {
  const std::vector<ByteRange> ranges = {range("in"), range("x"), range("y"), range("z")};
  auto result = replayer_->digest(ranges);
  EXPECT_TRUE(result.ok());
  return result.ok() ? result.value() : std::vector<uint64_t>();
}

Outcome ReplayerSuite::run(const Request& request) {
  auto outcome = replayer_->run(request);
  EXPECT_TRUE(outcome.ok()) << to_string(outcome.error());
  return outcome.ok() ? outcome.value() : Outcome();
}

TEST_P(ReplayerSuite, ListsTheStepsOfItsProgramInIssueOrder) {
  const std::vector<Step> steps = steps_of(replayer_->program());
  const auto listed = replayer_->steps();
  EXPECT_TRUE(std::equal(steps.begin(), steps.end(), listed.begin(), listed.end()));
  EXPECT_EQ(steps.size(), 4u);
}

TEST_P(ReplayerSuite, KnowsWhatEachStepMayWrite) {
  const auto writes = [&](const char* label, const char* buffer) {
    const auto ranges = replayer_->written(step(label));
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const ByteRange& written) { return written.overlaps(range(buffer)); });
  };
  EXPECT_TRUE(writes("first", "x"));
  EXPECT_FALSE(writes("first", "y"));
  EXPECT_TRUE(writes("use", "y"));
  EXPECT_FALSE(writes("use", "x"));
}

TEST_P(ReplayerSuite, OrdersThatReadOtherBytesLeaveOtherBytes) {
  run({.order = right_});
  const auto right = digests();
  run({.order = wrong_});
  const auto wrong = digests();
  EXPECT_EQ(right[0], wrong[0]) << "nobody writes the input";
  EXPECT_EQ(right[1], wrong[1]) << "second writes x last in both";
  EXPECT_NE(right[2], wrong[2]);
  EXPECT_NE(right[3], wrong[3]);
}

TEST_P(ReplayerSuite, OneRequestGivesOneOutcome) {
  const Outcome first = run({.order = right_, .stepwise = true});
  const auto left = digests();
  run({.order = wrong_, .stepwise = true});
  const Outcome again = run({.order = right_, .stepwise = true});
  EXPECT_EQ(first.digests, again.digests);
  EXPECT_EQ(left, digests());
}

TEST_P(ReplayerSuite, WholeAndStepwiseRunsLeaveTheSameBytes) {
  run({.order = wrong_});
  const auto whole = digests();
  run({.order = wrong_, .stepwise = true});
  EXPECT_EQ(whole, digests());
}

TEST_P(ReplayerSuite, RestoresExactly) {
  ASSERT_TRUE(replayer_->restore().ok());
  const auto saved = digests();
  run({.order = wrong_});
  EXPECT_NE(saved, digests());
  ASSERT_TRUE(replayer_->restore().ok());
  EXPECT_EQ(saved, digests());
}

TEST_P(ReplayerSuite, ReleaseLeavesNothingBehind) {
  ASSERT_TRUE(replayer_->restore().ok());
  const auto saved = digests();
  run({.order = right_});
  ASSERT_TRUE(replayer_->release().ok());
  EXPECT_EQ(saved, digests());
}

TEST_P(ReplayerSuite, StopsAfterTheFirstStepThatDiffersFromWhatIsExpected) {
  const Outcome right = run({.order = right_, .stepwise = true});
  EXPECT_EQ(run({.order = right_, .stepwise = true, .expected = right.digests}).ran, 4u);
  const Outcome stopped = run({.order = wrong_, .stepwise = true, .expected = right.digests});
  EXPECT_EQ(stopped.ran, 3u) << "use, the third, read what second wrote";
  EXPECT_NE(stopped.digests[static_cast<size_t>(step("use"))],
            right.digests[static_cast<size_t>(step("use"))]);
}

TEST_P(ReplayerSuite, KeepsWhatAStepWrote) {
  const std::vector<int32_t> keep = {step("use"), step("last")};
  const Outcome outcome = run({.order = right_, .stepwise = true, .keep = keep});
  ASSERT_EQ(outcome.kept.size(), 2u);
  EXPECT_EQ(outcome.kept[0], replayer_->fetch(range("y")).value());
  EXPECT_EQ(outcome.kept[1], replayer_->fetch(range("z")).value());
}

TEST_P(ReplayerSuite, APinHidesWhatItsStepDid) {
  const std::vector<int32_t> keep = {step("use")};
  const Outcome right = run({.order = right_, .stepwise = true, .keep = keep});
  const auto left = digests();
  const std::vector<Pin> pins = {{step("use"), right.kept[0]}};
  const Outcome pinned = run({.order = wrong_, .pins = pins, .stepwise = true});
  EXPECT_EQ(pinned.digests, right.digests);
  EXPECT_EQ(left, digests());
  run({.order = wrong_, .pins = pins});
  EXPECT_EQ(left, digests()) << "pins count in whole runs too";
}

TEST_P(ReplayerSuite, ContentsAreThereBeforeTheFirstStep) {
  run({.order = right_});
  const auto left = digests();
  ASSERT_TRUE(replayer_->restore().ok());
  Bytes bytes = replayer_->fetch(range("in")).value();
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(~byte);
  const std::vector<Content> contents = {{range("in"), bytes}};
  run({.order = right_, .contents = contents});
  EXPECT_NE(left[3], digests()[3]) << "other input, other output";
  EXPECT_EQ(bytes, replayer_->fetch(range("in")).value());
  run({.order = right_});
  EXPECT_EQ(left, digests()) << "contents hold for one run";
}

TEST_P(ReplayerSuite, ObservesWhichStepsChangedWhat) {
  const Outcome outcome = run({.order = right_, .stepwise = true, .observe = true});
  const auto changes = [&](const char* label, const char* buffer) {
    return std::any_of(
        outcome.changed.begin(), outcome.changed.end(), [&](const replay::Changed& changed) {
          return changed.step == step(label) && changed.range.overlaps(range(buffer));
        });
  };
  EXPECT_TRUE(changes("first", "x"));
  EXPECT_TRUE(changes("use", "y"));
  EXPECT_FALSE(changes("use", "x"));
  EXPECT_FALSE(changes("last", "y"));
}

TEST_P(ReplayerSuite, DigestsAndContentsAgree) {
  run({.order = right_});
  const Bytes right = replayer_->fetch(range("y")).value();
  const uint64_t digest = digests()[2];
  run({.order = wrong_});
  EXPECT_NE(right, replayer_->fetch(range("y")).value());
  run({.order = right_});
  EXPECT_EQ(right, replayer_->fetch(range("y")).value());
  EXPECT_EQ(digest, digests()[2]);
}

TEST_P(ReplayerSuite, RefusesWhatIsNoSchedule) {
  const std::vector<int32_t> twice = {right_[0], right_[0], right_[2], right_[3]};
  const std::vector<int32_t> foreign = {right_[0], right_[1], right_[2], 99};
  const std::vector<int32_t> few(right_.begin(), right_.end() - 1);
  for (const auto& order : {twice, foreign, few}) {
    const auto outcome = replayer_->run({.order = order});
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, "schedule-steps");
  }
  const auto saved = digests();
  ASSERT_TRUE(replayer_->restore().ok());
  EXPECT_EQ(saved, digests()) << "a refused run changes nothing";
}

TEST_P(ReplayerSuite, RefusesPinsAndContentsThatDoNotFit) {
  const std::vector<Pin> pins = {{step("use"), Bytes(1)}};
  const auto pinned = replayer_->run({.order = right_, .pins = pins});
  ASSERT_FALSE(pinned.ok());
  EXPECT_EQ(pinned.error().code, "replay-pin");
  const std::vector<Content> contents = {{range("in"), Bytes(1)}};
  const auto put = replayer_->run({.order = right_, .contents = contents});
  ASSERT_FALSE(put.ok());
  EXPECT_EQ(put.error().code, "replay-contents");
}

TEST_P(ReplayerSuite, RefusesToLookInsideAWholeRun) {
  const std::vector<int32_t> keep = {0};
  const auto outcome = replayer_->run({.order = right_, .keep = keep});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, "replay-request");
}

TEST_P(ReplayerSuite, TakesTheTimeOfEachVariantInEachRoundOrSaysThatItCannot) {
  ASSERT_TRUE(replayer_->restore().ok());
  const auto saved = digests();
  const std::vector<replay::Variant> variants = {
      {}, {{{step("use"), step("second")}}, {}}, {{}, right_}};
  const auto timings = replayer_->time(variants, 3);
  EXPECT_EQ(saved, digests()) << "memory is as after restore()";
  if (!timings.ok()) {
    EXPECT_EQ(timings.error().code, "no-timing") << to_string(timings.error());
    return;
  }
  EXPECT_EQ(timings.value().ns.size(), 9u);
  for (const double ns : timings.value().ns) EXPECT_GT(ns, 0);
  const auto& steps = timings.value().step_ns;
  EXPECT_TRUE(steps.empty() || steps.size() == replayer_->steps().size());
}

TEST_P(ReplayerSuite, RefusesToTimeStepsThatAreNone) {
  const std::vector<replay::Variant> foreign = {{{{0, 99}}, {}}}, few = {{{}, {0, 1}}};
  EXPECT_FALSE(replayer_->time(foreign, 1).ok());
  EXPECT_FALSE(replayer_->time(few, 1).ok());
}

// `second` has another x, so what `use` reads is what `first` wrote, in any order.
TEST_P(ReplayerSuite, MovesABlockForSomeStepsOrSaysThatItCannot) {
  const ByteRange x = range("x");
  const std::vector<replay::Move> moved = {{{step("second")}, x, uint64_t{1} << 60}};
  const Outcome right = run({.order = right_, .stepwise = true});
  const auto left = digests();
  const auto outcome = replayer_->run({.order = wrong_, .stepwise = true, .moved = moved});
  if (!outcome.ok()) {
    EXPECT_EQ(outcome.error().code, "replay-moved") << to_string(outcome.error());
    return;
  }
  EXPECT_EQ(outcome.value().digests, right.digests);
  const auto now = digests();
  EXPECT_NE(left[1], now[1]) << "x is as first left it";
  EXPECT_EQ(left[2], now[2]);
  EXPECT_EQ(left[3], now[3]);
  const ByteRange there{uint64_t{1} << 60, (uint64_t{1} << 60) + x.size()};
  const auto other = replayer_->digest({&there, 1});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other.value().front(), left[1]) << "what second wrote is there";
  run({.order = right_});
  EXPECT_EQ(left, digests()) << "moves hold for one run";
}

TEST_P(ReplayerSuite, RunsByItselfWithMoreOrderOrSaysThatItCannot) {
  const replay::Variant ordered{{{step("use"), step("second")}}, {}, {}};
  run({.order = right_});
  const auto left = digests();
  const auto outcome = replayer_->run_variant(ordered);
  if (!outcome.ok()) {
    EXPECT_EQ(outcome.error().code, "no-own-run") << to_string(outcome.error());
    return;
  }
  EXPECT_EQ(left, digests()) << "the order that was added is the right one";
}

}  // namespace bohr::test

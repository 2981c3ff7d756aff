// SPDX-License-Identifier: Apache-2.0
// Explorations of two graphs told as one.
#include <gtest/gtest.h>

#include "explore/merge.h"

namespace bohr::test {
namespace {

Exploration one() {
  Exploration exploration;
  exploration.budget = 100, exploration.replays = 30, exploration.seed = 7;
  exploration.steps = 4, exploration.chains = 2, exploration.calibration_replays = 3;
  exploration.orders = 5, exploration.different = 2, exploration.equivalent = 1;
  exploration.pairs_covered = exploration.exhaustive = true;
  exploration.random_orders = 16, exploration.random_bound = 0.25;
  exploration.observed_contents = 2, exploration.masked = 0.5;
  exploration.own.runs = 10, exploration.own.different = 1;
  exploration.reasons = {"outputs-masked"};
  exploration.witnesses.resize(1);
  exploration.trials = {{false, 0, TrialResult::diverges, 1, -1}};
  return exploration;
}

Exploration other() {
  Exploration exploration = one();
  exploration.baseline = BaselineKind::own_launches;
  exploration.budget = 50, exploration.replays = 50;
  exploration.steps = 40, exploration.chains = 6;
  exploration.random_bound = 0.125, exploration.masked = 0.25;
  exploration.exhaustive = false;
  exploration.observed_contents = 1;
  exploration.own.runs = 3, exploration.own.different = 0;
  exploration.reasons = {"budget", "outputs-masked"};
  exploration.trials = {{true, 2, TrialResult::same_bytes, 2, -1}};
  return exploration;
}

Exploration both(Exploration first, Exploration second) {
  Exploration all;
  explore::merge(std::move(first), &all);
  explore::merge(std::move(second), &all);
  return all;
}

TEST(Merge, TheFirstIsTakenAsItIs) {
  Exploration all;
  explore::merge(other(), &all);
  EXPECT_EQ(all.baseline, BaselineKind::own_launches);
  EXPECT_EQ(all.seed, 7u);
  EXPECT_EQ(all.steps, 40);
  EXPECT_FALSE(all.exhaustive);
  EXPECT_EQ(all.observed_contents, 1);
  EXPECT_EQ(all.reasons, (std::vector<std::string>{"budget", "outputs-masked"}));
}

TEST(Merge, CountsAddUp) {
  const Exploration all = both(one(), other());
  EXPECT_EQ(all.budget, 150);
  EXPECT_EQ(all.replays, 80);
  EXPECT_EQ(all.steps, 44);
  EXPECT_EQ(all.calibration_replays, 6);
  EXPECT_EQ(all.orders, 10);
  EXPECT_EQ(all.different, 4);
  EXPECT_EQ(all.equivalent, 2);
  EXPECT_EQ(all.random_orders, 32);
  EXPECT_EQ(all.own.runs, 13);
  EXPECT_EQ(all.own.different, 1);
  EXPECT_EQ(all.witnesses.size(), 2u);
  ASSERT_EQ(all.trials.size(), 2u);
  EXPECT_TRUE(all.trials[1].candidate);
}

// Whichever comes first.
TEST(Merge, WhatIsSaidOfAllHoldsForEach) {
  for (const Exploration& all : {both(one(), other()), both(other(), one())}) {
    EXPECT_EQ(all.baseline, BaselineKind::own_launches);
    EXPECT_TRUE(all.pairs_covered);
    EXPECT_FALSE(all.exhaustive);
    EXPECT_EQ(all.observed_contents, 1);
    EXPECT_EQ(all.chains, 6);
    EXPECT_EQ(all.random_bound, 0.125);
    EXPECT_EQ(all.masked, 0.5);
    EXPECT_EQ(all.reasons, (std::vector<std::string>{"budget", "outputs-masked"}));
  }
}

TEST(Merge, NoBaselineIsTheWeakest) {
  Exploration none = one();
  none.baseline = BaselineKind::none;
  none.broken_reads = 3;
  const Exploration all = both(none, other());
  EXPECT_EQ(all.baseline, BaselineKind::none);
  EXPECT_EQ(all.broken_reads, 3);
}

// The one that says least for the program; a graph whose own launches were not run says nothing.
TEST(Merge, OwnLaunchesAreAsBadAsTheWorst) {
  const auto merged = [](OwnLaunches first, OwnLaunches second) {
    Exploration a = one(), b = other();
    a.own_launches = first, b.own_launches = second;
    EXPECT_EQ(both(a, b).own_launches, both(b, a).own_launches);
    return both(a, b).own_launches;
  };
  EXPECT_EQ(merged(OwnLaunches::equal, OwnLaunches::unstable), OwnLaunches::unstable);
  EXPECT_EQ(merged(OwnLaunches::equal, OwnLaunches::different), OwnLaunches::different);
  EXPECT_EQ(merged(OwnLaunches::unstable, OwnLaunches::different), OwnLaunches::unstable);
  EXPECT_EQ(merged(OwnLaunches::equal, OwnLaunches::equal), OwnLaunches::equal);
  EXPECT_EQ(merged(OwnLaunches::equal, OwnLaunches::not_run), OwnLaunches::equal);
  EXPECT_EQ(merged(OwnLaunches::unstable, OwnLaunches::not_run), OwnLaunches::unstable);
  EXPECT_EQ(merged(OwnLaunches::not_run, OwnLaunches::not_run), OwnLaunches::not_run);
}

TEST(Merge, WhatWasTriedNowhereLiesOutside) {
  Verdict verdict;
  verdict.findings.resize(2);
  verdict.candidates.resize(3);
  Exploration all = both(one(), other());
  explore::note_outside(verdict, &all);
  ASSERT_EQ(all.trials.size(), 5u);
  const auto told = [&](bool candidate, int32_t index) {
    const TrialResult* result = nullptr;
    for (const Trial& trial : all.trials)
      if (trial.candidate == candidate && trial.index == index) {
        EXPECT_EQ(result, nullptr) << "told twice";
        result = &trial.result;
      }
    EXPECT_NE(result, nullptr) << "not told";
    return result ? *result : TrialResult::not_tried;
  };
  EXPECT_EQ(told(false, 0), TrialResult::diverges);
  EXPECT_EQ(told(false, 1), TrialResult::outside);
  EXPECT_EQ(told(true, 0), TrialResult::outside);
  EXPECT_EQ(told(true, 1), TrialResult::outside);
  EXPECT_EQ(told(true, 2), TrialResult::same_bytes);
}

}  // namespace
}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
// The explorer on random programs with one planted mistake: it must find a witness and bisect it to
// a pair that the mistake left unordered, in at least 99 of 100, and none in any repaired twin.
#include "exhaustive/planted.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "check/check.h"
#include "exhaustive/sizes.h"
#include "explore/explore.h"
#include "order/step_order.h"
#include "replay/symbolic/replayer.h"

namespace bohr::naive {
namespace {

Exploration explored(const Program& program, bool told) {
  auto verdict = check::check(program, {});
  BOHR_CHECK(verdict.ok());
  auto replayer = replay::symbolic_replayer(program);
  BOHR_CHECK(replayer.ok());
  auto exploration =
      explore::explore(*replayer.value(), told ? verdict.value() : Verdict(), explore::Options());
  BOHR_CHECK(exploration.ok());
  return std::move(exploration).value();
}

int32_t index_of(const order::StepOrder& order, const Step& step) {
  return static_cast<int32_t>(std::find(order.steps.begin(), order.steps.end(), step) -
                              order.steps.begin());
}

// Whether a witness's pair is ordered in the right twin and not in the wrong one.
bool blames_the_mistake(const Planted& planted, const Exploration& exploration) {
  const auto right = order::step_order(planted.right, false);
  const auto wrong = order::step_order(planted.wrong, false);
  for (const Witness& witness : exploration.witnesses) {
    // Ops are numbered otherwise without the wait; steps are not.
    const int32_t a = index_of(wrong.value(), witness.first.step);
    const int32_t b = index_of(wrong.value(), witness.second.step);
    if (right.value().ordered(a, b) && !wrong.value().ordered(a, b) &&
        witness.identical == witness.replays)
      return true;
  }
  return false;
}

struct Score {
  int programs = 0;
  int found = 0;
  int blind = 0;  // found without what check told
  int false_alarms = 0;
  int64_t replays = 0;
};

Score play(int programs, size_t most_kernels, bool blind) {
  Score score;
  for (int i = 0; i < programs; ++i) {
    const auto seed = static_cast<uint64_t>(i) + 1;
    const double share = programs > 1 ? static_cast<double>(i) / (programs - 1) : 0;
    const auto kernels =
        static_cast<size_t>(10 * std::pow(static_cast<double>(most_kernels) / 10, share));
    const Planted planted = planted_program(seed, kernels, 2 + seed % 7, seed % 2 == 0);
    const Exploration wrong = explored(planted.wrong, true);
    ++score.programs;
    const bool found = blames_the_mistake(planted, wrong);
    if (!found) std::printf("not found: seed %d, %zu kernels\n", i + 1, kernels);
    score.found += found;
    score.replays += wrong.replays;
    if (blind) score.blind += blames_the_mistake(planted, explored(planted.wrong, false));
    const bool alarm = !explored(planted.right, true).witnesses.empty();
    score.false_alarms += alarm;
    EXPECT_FALSE(alarm) << "seed " << seed << ", " << kernels << " kernels";
  }
  std::printf(
      "%d programs of 10 to %zu kernels: %d found, %d blindly, %d false alarms, %.0f "
      "replays each\n",
      score.programs, most_kernels, score.found, score.blind, score.false_alarms,
      static_cast<double>(score.replays) / score.programs);
  return score;
}

TEST(PlantedMistakes, AreFoundAndBisected) {
  const Score score = play(100, 200, true);
  EXPECT_GE(score.found, 99);
  EXPECT_EQ(score.false_alarms, 0);
}

TEST(PlantedMistakesSlow, AreFoundAndBisectedInProgramsOfUpTo2000Kernels) {
  const Score score = play(100, 2000, false);
  EXPECT_GE(score.found, 99);
  EXPECT_EQ(score.false_alarms, 0);
}

}  // namespace
}  // namespace bohr::naive

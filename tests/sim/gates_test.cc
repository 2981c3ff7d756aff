// SPDX-License-Identifier: Apache-2.0
// Gates for the explorer, on programs with one mistake each: the program by itself goes wrong
// sometimes and not always; of the orders that the explorer tries at least three times that share
// differs, or more than nine tenths; and the witness then gives its two results 20 times of 20. The
// repaired twin never goes wrong, and nothing is found in it.
#include <gtest/gtest.h>

#include <cstdio>

#include "sim/programs.h"
#include "sim/support.h"

namespace bohr::gpu::sim {
namespace {

constexpr int32_t kOwnRuns = 500;

class Gates : public testing::TestWithParam<RacyProgram> {};

explore::Options with_own_runs() {
  explore::Options options;
  options.own_runs = kOwnRuns;
  return options;
}

double share(int64_t part, int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

TEST_P(Gates, ExploringFailsMoreOftenAndThenEveryTime) {
  const RacyProgram& racy = GetParam();
  const Explored run = explored(racy.twin(false), small_machine(racy.timing), with_own_runs());
  const Exploration& found = run.exploration;
  ASSERT_EQ(found.own.runs, kOwnRuns);
  const double natural = share(found.own.different, found.own.runs);
  const double forced = share(found.different, found.orders);
  std::printf("%-22s natural %5.1f %%, explored %ld of %ld orders, witness at replay %ld\n",
              racy.name.c_str(), 100 * natural, found.different, found.orders,
              run.replays_to_witness);
  EXPECT_LT(natural, 1);
  EXPECT_TRUE(forced >= 3 * natural || forced > 0.9) << forced << " against " << natural;
  EXPECT_GT(forced, 0);
  EXPECT_EQ(run.verdict.outcome, Outcome::findings);
  EXPECT_EQ(pairs_of(found), std::vector<std::string>{racy.pair});
  for (const Witness& witness : found.witnesses) {
    EXPECT_EQ(witness.replays, 20);
    EXPECT_EQ(witness.identical, 20);
    EXPECT_NE(witness.right_digest, witness.wrong_digest);
    EXPECT_TRUE(witness.reaches_output());
    EXPECT_NE(witness.cause, 0) << "check told nothing of it";
  }
}

TEST_P(Gates, TheRepairedTwinNeverFails) {
  const RacyProgram& racy = GetParam();
  const Explored run = explored(racy.twin(true), small_machine(racy.timing), with_own_runs());
  EXPECT_EQ(run.verdict.outcome, Outcome::clean);
  EXPECT_EQ(run.exploration.own.runs, kOwnRuns);
  EXPECT_EQ(run.exploration.own.different, 0);
  EXPECT_EQ(run.exploration.different, 0);
  EXPECT_TRUE(run.exploration.witnesses.empty());
  EXPECT_TRUE(run.exploration.pinned.empty());
  EXPECT_TRUE(run.exploration.pairs_covered);
}

INSTANTIATE_TEST_SUITE_P(Programs, Gates, testing::ValuesIn(racy_programs()),
                         [](const auto& program) { return program.param.name; });

}  // namespace
}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// The second equality: full exploration finds a witness exactly when two linear extensions differ
// in outputs. Over every program of 4 nodes and 2 ranges and every one of 5 nodes and 1 range; the
// quick suite takes a sample of the fillings by seed, for every shape.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/random.h"
#include "check/check.h"
#include "exhaustive/sizes.h"
#include "exhaustive/small_programs.h"
#include "explore/explore.h"
#include "replay/symbolic/memory.h"
#include "replay/symbolic/replayer.h"

namespace bohr::naive {
namespace {

using AccessModes = std::vector<AccessMode>;
const AccessModes kPlain = {AccessMode::read, AccessMode::write, AccessMode::update};
const AccessModes kWithAtomics = {AccessMode::read, AccessMode::write, AccessMode::update,
                                  AccessMode::atomic};
const Size kFourOverTwo = {4, 2, kPlain};
const Size kFiveOverOne = {5, 1, kPlain};
const Size kFourOverTwoAtomics = {4, 2, kWithAtomics};

bool outputs_differ(const SmallProgram& small) {
  replay::SymbolicMemory memory(small.program());
  const uint64_t first = memory.run(small.extensions().front()).outputs;
  return std::any_of(
      small.extensions().begin(), small.extensions().end(),
      [&](const std::vector<int32_t>& order) { return memory.run(order).outputs != first; });
}

struct Tally {
  int64_t programs = 0;
  int64_t hazardous = 0;
  int64_t witnessed = 0;
  int64_t replays = 0;
};

explore::Options everything() {
  explore::Options options;
  options.budget = 1000000;
  options.calibration_rounds = 1;
  options.confirmations = 1;
  options.random_orders = 1;
  options.all_orders = true;
  return options;
}

// A witness must be two legal schedules that differ in one swap of a conflicting, unordered pair.
bool is_sound(const SmallProgram& small, const Witness& witness) {
  const auto at = std::mismatch(witness.right.begin(), witness.right.end(), witness.wrong.begin());
  const auto place = at.first - witness.right.begin();
  if (witness.right[place] != witness.wrong[place + 1]) return false;
  if (witness.right[place + 1] != witness.wrong[place]) return false;
  const std::pair<int32_t, int32_t> pair =
      std::minmax({witness.right[place].node.value(), witness.right[place + 1].node.value()});
  return small.hazards().contains(pair);
}

::testing::AssertionResult equal_on(const SmallProgram& small, Tally* tally) {
  const bool differ = outputs_differ(small);
  const Result<Verdict> verdict = check::check(small.program(), {});
  if (!verdict.ok()) return ::testing::AssertionFailure() << to_string(verdict.error());
  auto replayer = replay::symbolic_replayer(small.program());
  const auto explored = explore::explore(*replayer.value(), verdict.value(), everything());
  if (!explored.ok()) return ::testing::AssertionFailure() << to_string(explored.error());
  bool found = false;
  for (const Witness& witness : explored.value().witnesses) {
    if (!is_sound(small, witness)) return ::testing::AssertionFailure() << "unsound witness";
    found = found || witness.reaches_output();
  }
  ++tally->programs;
  tally->hazardous += !verdict.value().findings.empty();
  tally->witnessed += found;
  tally->replays += explored.value().replays;
  if (!explored.value().exhaustive) return ::testing::AssertionFailure() << "not exhaustive";
  if (found == differ) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "outputs " << (differ ? "differ" : "agree") << ", the explorer has "
         << (found ? "a" : "no") << " witness";
}

void report(const char* what, const Tally& tally) {
  std::printf("%s: %lld programs, %lld hazardous, %lld with a witness; %.1f replays each\n", what,
              static_cast<long long>(tally.programs), static_cast<long long>(tally.hazardous),
              static_cast<long long>(tally.witnessed),
              static_cast<double>(tally.replays) / static_cast<double>(tally.programs));
}

// All fillings of a shape where `fillings_per_shape` is 0, else that many by seed.
void compare(const char* what, const Size& size, uint64_t fillings_per_shape, uint64_t seed) {
  Tally tally;
  Random random(seed);
  const uint64_t count = fillings_per_shape ? fillings_per_shape : size.fillings();
  for (uint64_t shape = 0; shape < size.shapes(); ++shape) {
    SmallProgram small(size, shape);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t filling = fillings_per_shape ? random.next() % size.fillings() : i;
      small.fill(filling);
      ASSERT_TRUE(equal_on(small, &tally)) << "shape " << shape << " filling " << filling;
    }
  }
  report(what, tally);
  EXPECT_GT(tally.witnessed, 0);
  EXPECT_LT(tally.witnessed, tally.hazardous) << "some hazards show in no output";
}

TEST(SmallExplorations, FourNodesOverTwoRanges) {
  compare("4 nodes, 2 ranges", kFourOverTwo, 400, 1);
}
TEST(SmallExplorations, FiveNodesOverOneRange) { compare("5 nodes, 1 range", kFiveOverOne, 20, 2); }
TEST(SmallExplorations, FourNodesOverTwoRangesWithAtomics) {
  compare("4 nodes, 2 ranges, atomics", kFourOverTwoAtomics, 200, 3);
}
TEST(SmallExplorationsFull, FourNodesOverTwoRanges) {
  BOHR_FULL_ONLY();
  compare("4 nodes, 2 ranges", kFourOverTwo, 0, 0);
}
TEST(SmallExplorationsFull, FiveNodesOverOneRange) {
  BOHR_FULL_ONLY();
  compare("5 nodes, 1 range", kFiveOverOne, 0, 0);
}

}  // namespace
}  // namespace bohr::naive

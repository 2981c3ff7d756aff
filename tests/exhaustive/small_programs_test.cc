// SPDX-License-Identifier: Apache-2.0
// The first equality: check reports a hazard exactly when two linear extensions differ in the log
// of what some access saw or replaced. Over every program of 4 nodes and 2 ranges (64 x 16^4) and
// every one of 5 nodes and 1 range (1024 x 4^5); the quick suite takes a sample of the fillings by
// seed, for every shape. With atomics as a fifth choice, a sample in both.
#include "exhaustive/small_programs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "base/random.h"
#include "check/check.h"
#include "exhaustive/sizes.h"
#include "replay/symbolic/memory.h"

namespace bohr::naive {
namespace {

using AccessModes = std::vector<AccessMode>;
const AccessModes kPlain = {AccessMode::read, AccessMode::write, AccessMode::update};
const AccessModes kWithAtomics = {AccessMode::read, AccessMode::write, AccessMode::update,
                                  AccessMode::atomic};
const Size kFourOverTwo = {4, 2, kPlain};
const Size kFiveOverOne = {5, 1, kPlain};
const Size kFourOverTwoAtomics = {4, 2, kWithAtomics};
const Size kFiveOverOneAtomics = {5, 1, kWithAtomics};

bool logs_differ(const SmallProgram& small) {
  replay::SymbolicMemory memory(small.program());
  const std::vector<uint64_t> first = memory.run(small.extensions().front()).log;
  for (const std::vector<int32_t>& extension : small.extensions()) {
    if (memory.run(extension).log != first) return true;
  }
  return false;
}

using Pairs = std::set<std::pair<int32_t, int32_t>>;
Pairs pairs_of(const Verdict& verdict) {
  Pairs pairs;
  for (const Finding& finding : verdict.findings) {
    pairs.insert({finding.first.node.value(), finding.second.node.value()});
  }
  return pairs;
}

struct Tally {
  int64_t programs = 0;
  int64_t hazardous = 0;
  std::chrono::nanoseconds checking{0};
};

::testing::AssertionResult equal_on(const SmallProgram& small, Tally* tally) {
  const bool differ = logs_differ(small);
  const auto start = std::chrono::steady_clock::now();
  const Result<Verdict> verdict = check::check(small.program(), {});
  tally->checking += std::chrono::steady_clock::now() - start;
  ++tally->programs;
  tally->hazardous += differ ? 1 : 0;
  if (!verdict.ok()) return ::testing::AssertionFailure() << to_string(verdict.error());
  if (differ == verdict.value().findings.empty()) {
    return ::testing::AssertionFailure()
           << "logs " << (differ ? "differ" : "agree") << ", check has "
           << verdict.value().findings.size() << " findings";
  }
  if (pairs_of(verdict.value()) != small.hazards()) {
    return ::testing::AssertionFailure() << "check reports other pairs of nodes";
  }
  const Outcome right = differ ? Outcome::findings : Outcome::clean;
  if (verdict.value().outcome != right) return ::testing::AssertionFailure() << "outcome";
  return ::testing::AssertionSuccess();
}

void report(const char* what, const Tally& tally) {
  const double micros = static_cast<double>(tally.checking.count()) / 1e3;
  std::printf("%s: %lld programs, %lld hazardous, check takes %.1f us each\n", what,
              static_cast<long long>(tally.programs), static_cast<long long>(tally.hazardous),
              micros / static_cast<double>(tally.programs));
}

void every_program(const char* what, const Size& size) {
  Tally tally;
  for (uint64_t shape = 0; shape < size.shapes(); ++shape) {
    SmallProgram small(size, shape);
    for (uint64_t filling = 0; filling < size.fillings(); ++filling) {
      small.fill(filling);
      ASSERT_TRUE(equal_on(small, &tally)) << "shape " << shape << " filling " << filling;
    }
  }
  report(what, tally);
}

void sample(const char* what, const Size& size, uint64_t fillings_per_shape, uint64_t seed) {
  Tally tally;
  Random random(seed);
  for (uint64_t shape = 0; shape < size.shapes(); ++shape) {
    SmallProgram small(size, shape);
    for (uint64_t i = 0; i < fillings_per_shape; ++i) {
      const uint64_t filling = random.next() % size.fillings();
      small.fill(filling);
      ASSERT_TRUE(equal_on(small, &tally)) << "shape " << shape << " filling " << filling;
    }
  }
  report(what, tally);
  EXPECT_GT(tally.hazardous, 0);
  EXPECT_LT(tally.hazardous, tally.programs);
}

TEST(SmallPrograms, FourNodesOverTwoRanges) { sample("4 nodes, 2 ranges", kFourOverTwo, 2500, 1); }
TEST(SmallPrograms, FiveNodesOverOneRange) { sample("5 nodes, 1 range", kFiveOverOne, 60, 2); }
TEST(SmallPrograms, FourNodesOverTwoRangesWithAtomics) {
  sample("4 nodes, 2 ranges, atomics", kFourOverTwoAtomics, 1000, 3);
}
TEST(SmallPrograms, FiveNodesOverOneRangeWithAtomics) {
  sample("5 nodes, 1 range, atomics", kFiveOverOneAtomics, 60, 4);
}

TEST(SmallProgramsFull, FourNodesOverTwoRanges) {
  BOHR_FULL_ONLY();
  every_program("4 nodes, 2 ranges", kFourOverTwo);
}
TEST(SmallProgramsFull, FiveNodesOverOneRange) {
  BOHR_FULL_ONLY();
  every_program("5 nodes, 1 range", kFiveOverOne);
}
TEST(SmallProgramsFull, FiveNodesOverOneRangeWithAtomics) {
  BOHR_FULL_ONLY();
  every_program("5 nodes, 1 range, atomics", kFiveOverOneAtomics);
}
TEST(SmallProgramsFull, FourNodesOverTwoRangesWithAtomics) {
  BOHR_FULL_ONLY();
  sample("4 nodes, 2 ranges, atomics", kFourOverTwoAtomics, 20000, 5);
}

// The enumeration itself.
TEST(SmallPrograms, NumbersEveryProgram) {
  EXPECT_EQ(kFourOverTwo.shapes() * kFourOverTwo.fillings(), 64u * 65536u);
  EXPECT_EQ(kFiveOverOne.shapes() * kFiveOverOne.fillings(), 1024u * 1024u);
}

TEST(SmallPrograms, EnumeratesLinearExtensions) {
  EXPECT_EQ(SmallProgram(kFourOverTwo, 0).extensions().size(), 24u);        // no edges
  EXPECT_EQ(SmallProgram(kFourOverTwo, 63).extensions().size(), 1u);        // all edges
  EXPECT_EQ(SmallProgram(kFourOverTwo, 0b001001).extensions().size(), 8u);  // 0 < 1, 0 < 3
}

// Without check: logs differ exactly when a conflicting pair is ordered both ways.
TEST(SmallPrograms, LogsDifferWhenAConflictingPairIsUnordered) {
  Random random(6);
  for (int i = 0; i < 20000; ++i) {
    SmallProgram small(kFourOverTwoAtomics, random.below(kFourOverTwoAtomics.shapes()));
    small.fill(random.next() % kFourOverTwoAtomics.fillings());
    ASSERT_EQ(logs_differ(small), !small.hazards().empty()) << small.program().source;
  }
}

}  // namespace
}  // namespace bohr::naive

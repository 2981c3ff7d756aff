// SPDX-License-Identifier: Apache-2.0
// Orders and the way between two of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.h"
#include "explore/bisect.h"
#include "explore/equivalence.h"
#include "explore/schedules.h"
#include "explore_texts.h"

namespace bohr::test {
namespace {

using explore::Schedule;

// k1 -> k2 on a; k3 -> k4 on b; k1 -> k4 by a wait.
const std::string kProgram =
    "stream a\nstream b\nbuffer x 64\nbuffer y 64\nbuffer z 64\n"
    "a: kernel k1 writes x\na: record e\na: kernel k2 reads x\nb: kernel k3 writes y\nb: wait e\n"
    "b: kernel k4 reads x, y writes z\n";

struct Fixture {
  Program program = program_of(kProgram);
  order::StepOrder order = order::step_order(program, false).value();
  std::string told(const Schedule& schedule) const {
    std::vector<Step> steps;
    for (const int32_t step : schedule) steps.push_back(order.steps[static_cast<size_t>(step)]);
    return labels_of(program, steps);
  }
};

TEST(Schedules, KnowWhatIsLegal) {
  const Fixture f;
  EXPECT_TRUE(explore::is_legal(f.order, Schedule{0, 1, 2, 3}));
  EXPECT_TRUE(explore::is_legal(f.order, Schedule{2, 0, 3, 1}));
  EXPECT_FALSE(explore::is_legal(f.order, Schedule{2, 3, 0, 1})) << "k4 waits for k1";
  EXPECT_FALSE(explore::is_legal(f.order, Schedule{1, 0, 2, 3}));
  EXPECT_FALSE(explore::is_legal(f.order, Schedule{0, 1, 2})) << "a step is missing";
  EXPECT_FALSE(explore::is_legal(f.order, Schedule{0, 0, 2, 3}));
}

TEST(Schedules, ReverseAPairAndMoveLittleElse) {
  const Fixture f;
  const Schedule base = explore::issue_schedule(f.order);
  EXPECT_EQ(f.told(base), "k1 k2 k3 k4");
  EXPECT_EQ(f.told(explore::with_advanced(f.order, base, 1, 3)), "k1 k3 k4 k2");
  EXPECT_EQ(f.told(explore::with_delayed(f.order, base, 1, 3)), "k1 k3 k4 k2");
  EXPECT_EQ(f.told(explore::with_advanced(f.order, base, 0, 2)), "k3 k1 k2 k4");
  EXPECT_EQ(f.told(explore::with_delayed(f.order, base, 0, 2)), "k3 k1 k2 k4");
}

TEST(Schedules, DelayAChainAsLongAsPossible) {
  const Fixture f;
  const Schedule base = explore::issue_schedule(f.order);
  ASSERT_EQ(f.order.chains, 2);
  EXPECT_EQ(f.told(explore::with_chain_delayed(f.order, base, f.order.chain[0])), "k3 k1 k4 k2");
  EXPECT_EQ(f.told(explore::with_chain_delayed(f.order, base, f.order.chain[2])), "k1 k2 k3 k4");
}

TEST(Schedules, RandomOnesAreLegalAndOfTheirSeed) {
  const Fixture f;
  std::set<Schedule> seen;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Schedule schedule = explore::random_schedule(f.order, seed, 3);
    EXPECT_TRUE(explore::is_legal(f.order, schedule));
    EXPECT_EQ(schedule, explore::random_schedule(f.order, seed, 3));
    seen.insert(schedule);
  }
  EXPECT_GT(seen.size(), 2u);
  EXPECT_DOUBLE_EQ(explore::pct_bound(f.order, 1), 0.5);
  EXPECT_DOUBLE_EQ(explore::pct_bound(f.order, 3), 1.0 / 32);
}

TEST(SwapPath, GoesFromOneToTheOtherBySwapsOfNeighbours) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    Schedule good(random.between(2, 12));
    std::iota(good.begin(), good.end(), 0);
    Schedule bad = good;
    for (size_t i = bad.size(); i > 1; --i) std::swap(bad[i - 1], bad[random.below(i)]);
    const explore::SwapPath path(good, bad);
    EXPECT_EQ(path.at(0), good);
    EXPECT_EQ(path.at(path.swaps()), bad);
    for (int64_t i = 0; i < path.swaps(); ++i) {
      Schedule here = path.at(i), next = path.at(i + 1);
      const auto at = std::mismatch(here.begin(), here.end(), next.begin()).first - here.begin();
      EXPECT_LT(here[at], here[at + 1]) << "only pairs that the two order differently";
      std::swap(here[at], here[at + 1]);
      EXPECT_EQ(here, next);
    }
  }
}

TEST(Bisect, FindsTheSwapThatMattersInFewReplays) {
  Random random(8);
  for (int round = 0; round < 100; ++round) {
    Schedule good(50);
    std::iota(good.begin(), good.end(), 0);
    Schedule bad = good;
    for (size_t i = bad.size(); i > 1; --i) std::swap(bad[i - 1], bad[random.below(i)]);
    const auto place = [](const Schedule& s, int32_t step) {
      return std::find(s.begin(), s.end(), step) - s.begin();
    };
    // Some pair that the two order differently.
    int32_t a = 0, b = 0;
    while (a >= b || place(bad, a) < place(bad, b)) {
      a = static_cast<int32_t>(random.below(50));
      b = static_cast<int32_t>(random.below(50));
    }
    int replays = 0;
    const auto critical = explore::bisect(good, bad, [&](const Schedule& s) -> Result<bool> {
      ++replays;
      return place(s, a) < place(s, b);
    });
    ASSERT_TRUE(critical.ok());
    EXPECT_EQ(critical.value().first, a);
    EXPECT_EQ(critical.value().second, b);
    EXPECT_LE(replays, 11) << "log2 of at most 1225 swaps";
  }
}

TEST(Bisect, EndsWithTheErrorOfAReplay) {
  const auto critical = explore::bisect({0, 1, 2}, {2, 1, 0}, [](const Schedule&) -> Result<bool> {
    return Error{"budget", "", "", "", ""};
  });
  ASSERT_FALSE(critical.ok());
  EXPECT_EQ(critical.error().code, "budget");
}

TEST(OrderKey, IsEqualForOrdersThatCannotDiffer) {
  const Program program = program_of(
      "stream a\nstream b\nstream c\nbuffer x 64\nbuffer y 64\n"
      "a: kernel w writes x\nb: kernel r1 reads x\nc: kernel r2 reads x\n"
      "a: kernel u1 atomics y\nb: kernel u2 atomics y\nc: kernel o writes y\n");
  const auto order = order::step_order(program, false);
  const auto uses = explore::Footprints::of(program, order.value());
  const auto key = [&](const Schedule& schedule) {
    return explore::order_key(schedule, uses.value());
  };
  EXPECT_EQ(uses.value().racy_cells().size(), 2u);
  EXPECT_EQ(key({0, 1, 2, 3, 4, 5}), key({0, 2, 1, 4, 3, 5})) << "reads and atomics commute";
  EXPECT_NE(key({0, 1, 2, 3, 4, 5}), key({1, 0, 2, 3, 4, 5})) << "a read passes the write";
  EXPECT_NE(key({0, 1, 2, 3, 4, 5}), key({0, 1, 2, 3, 5, 4})) << "a write passes an atomic";
}

}  // namespace
}  // namespace bohr::test

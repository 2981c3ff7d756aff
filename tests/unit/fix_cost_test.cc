// SPDX-License-Identifier: Apache-2.0
// What is told of measured times, and what is not; how much memory is out at once.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "check/check.h"
#include "fix/apply.h"
#include "fix/cost.h"
#include "fix/intervals.h"
#include "fix/pool.h"
#include "forwarding_replayer.h"
#include "replay/symbolic/replayer.h"
#include "trace/case_reader.h"

namespace bohr::fix {
namespace {

Program program_of(const std::string& text) {
  auto program = trace::read_case(text, "test.case");
  BOHR_CHECK(program.ok());
  return std::move(program).value();
}

constexpr const char* kCase = R"(case 1
stream a
stream b
pool p
buffer in 4K
buffer out 4K
a: alloc x 64K pool p
a: kernel write_x reads in writes x
a: record e
b: wait e
b: kernel read_x reads x writes out
a: free x
a: alloc y 64K pool p over x
a: kernel write_y reads in writes y
)";

// Times as told: of each variant a base, to which round by round the same drift and noise of its
// own are added.
class Canned final : public test::ForwardingReplayer {
 public:
  Canned(std::unique_ptr<replay::Replayer> inner, std::vector<double> us, double noise_us)
      : ForwardingReplayer(std::move(inner)), us_(std::move(us)), noise_us_(noise_us) {}

  Result<replay::Timings> time(std::span<const replay::Variant> variants, int32_t rounds) override {
    variants_.assign(variants.begin(), variants.end());
    replay::Timings timings;
    Random random(7);
    for (int32_t round = 0; round < rounds; ++round) {
      const double drift = 5 * std::sin(round);
      for (size_t v = 0; v < variants.size(); ++v) {
        const double noise = noise_us_ * (static_cast<double>(random.below(2001)) / 1000 - 1);
        timings.ns.push_back(1000 * (us_.at(v) + drift + noise));
      }
    }
    timings.step_ns.assign(steps().size(), 2000);
    return timings;
  }
  const std::vector<replay::Variant>& variants() const { return variants_; }

 private:
  std::vector<double> us_;
  double noise_us_;
  std::vector<replay::Variant> variants_;
};

struct Scene {
  explicit Scene(const std::string& text) : program(program_of(text)) {
    verdict = check::check(program, {}).value();
  }
  int32_t op(const std::string& label) const {
    for (size_t i = 0; i < program.ops.size(); ++i)
      if (label_of(program, program.ops[i]) == label) return static_cast<int32_t>(i);
    ADD_FAILURE() << label;
    return -1;
  }
  LifetimeId block(const std::string& name) const {
    for (size_t i = 0; i < program.lifetimes.size(); ++i)
      if (program.lifetimes[i].name == name) return LifetimeId(i);
    ADD_FAILURE() << name;
    return LifetimeId();
  }
  RepairPart edge(const std::string& from, const std::string& to) const {
    RepairPart part;
    part.from = op(from), part.to = op(to);
    return part;
  }
  Canned canned(std::vector<double> us, double noise_us) const {
    return Canned(replay::symbolic_replayer(program).value(), std::move(us), noise_us);
  }

  Program program;
  Verdict verdict;
};

constexpr int32_t kRounds = 101;

TEST(FixCost, DriftCancelsWithinARound) {
  const Scene scene(kCase);
  const Setting setting = setting_of(scene.program, scene.verdict, {}).value();
  Canned replayer = scene.canned({100, 100, 120, 105}, 0.5);
  const std::vector<Parts> sets = {{scene.edge("read_x", "write_y")}};
  const auto measured = costs_of(setting, sets, &replayer, kRounds);
  ASSERT_TRUE(measured.ok()) << to_string(measured.error());
  const Costs& costs = measured.value().costs;
  const Cost& edge = measured.value().sets.front();
  EXPECT_EQ(costs.pairs, kRounds);
  EXPECT_LT(costs.noise_us, 0.5) << "the drift of 5 us is not in it";
  EXPECT_LE(edge.more_us.low, 5);
  EXPECT_GE(edge.more_us.high, 5);
  EXPECT_LT(edge.more_us.high - edge.more_us.low, 1);
  ASSERT_TRUE(edge.kept_known);
  EXPECT_LE(edge.kept.low, 0.75);
  EXPECT_GE(edge.kept.high, 0.75);
  EXPECT_LT(edge.kept.high - edge.kept.low, 0.1);
  EXPECT_EQ(costs.as_is.kept.value, 1);
  EXPECT_EQ(costs.serial.kept.value, 0);
}

TEST(FixCost, NoShareIsToldWhereOverlapGainsNoMoreThanTheNoise) {
  const Scene scene(kCase);
  const Setting setting = setting_of(scene.program, scene.verdict, {}).value();
  Canned replayer = scene.canned({100, 100, 100.2, 100.1}, 20);
  const std::vector<Parts> sets = {{scene.edge("read_x", "write_y")}};
  const auto measured = costs_of(setting, sets, &replayer, kRounds);
  ASSERT_TRUE(measured.ok());
  EXPECT_TRUE(measured.value().sets.front().measured);
  EXPECT_FALSE(measured.value().sets.front().kept_known);
  EXPECT_FALSE(measured.value().costs.serial.kept_known);
}

TEST(FixCost, ARepairIsTimedByTheOrderThatItAdds) {
  const Scene scene(kCase);
  const Setting setting = setting_of(scene.program, scene.verdict, {}).value();
  Canned replayer = scene.canned({100, 100, 120, 105, 100}, 0.5);
  const RepairPart edge = scene.edge("read_x", "write_y");
  RepairPart apart;
  apart.kind = RepairKind::separate;
  apart.lifetime = scene.block("y");
  const std::vector<Parts> sets = {{edge}, {apart}, {edge}};
  const auto measured = costs_of(setting, sets, &replayer, kRounds);
  ASSERT_TRUE(measured.ok());
  ASSERT_EQ(replayer.variants().size(), 5u) << "equal orders are one variant";
  EXPECT_TRUE(replayer.variants()[0].more.empty() && replayer.variants()[1].more.empty());
  EXPECT_EQ(replayer.variants()[2].serial, (std::vector<int32_t>{0, 1, 2}));
  using Pairs = std::vector<std::pair<int32_t, int32_t>>;
  EXPECT_EQ(replayer.variants()[3].more, (Pairs{{1, 2}}));
  EXPECT_TRUE(replayer.variants()[4].more.empty());
  // Three steps of 2 us: as it is the last two go side by side.
  EXPECT_EQ(measured.value().costs.as_is.critical_us, 4);
  EXPECT_EQ(measured.value().sets[0].critical_us, 6);
  EXPECT_EQ(measured.value().sets[1].critical_us, 4);
  EXPECT_EQ(measured.value().costs.serial.critical_us, 6);
}

TEST(FixCost, WithoutAClockMemoryIsAllThatIsTold) {
  const Scene scene(kCase);
  const Setting setting = setting_of(scene.program, scene.verdict, {}).value();
  auto replayer = replay::symbolic_replayer(scene.program);
  ASSERT_TRUE(replayer.ok());
  const std::vector<Parts> sets = {{scene.edge("read_x", "write_y")}};
  const auto measured = costs_of(setting, sets, replayer.value().get(), kRounds);
  ASSERT_TRUE(measured.ok());
  EXPECT_EQ(measured.value().reasons, (std::vector<std::string>{"fix-not-timed"}));
  EXPECT_FALSE(measured.value().costs.as_is.measured);
  EXPECT_EQ(measured.value().costs.as_is.pool_bytes, 64u << 10);
  EXPECT_EQ(measured.value().sets.front().pool_bytes, 64u << 10);
}

TEST(FixCost, ABlockOfItsOwnCountsThroughout) {
  const Scene scene(kCase);
  RepairPart apart;
  apart.kind = RepairKind::separate;
  apart.lifetime = scene.block("y");
  const Program repaired = with_repairs(scene.program, std::span(&apart, 1)).value();
  EXPECT_EQ(pool_bytes(scene.program, {}), 64u << 10);
  EXPECT_EQ(pool_bytes(repaired, std::span(&apart, 1)), 128u << 10);
}

// Of 1,000 samples of 21 values the interval misses the median in about 25 (2.7%: the exact value
// of the nearest cut that is not below 95%), far from 50 on either side.
TEST(FixIntervals, AnIntervalHoldsTheMedianAsOftenAsItSays) {
  Random random(3);
  int missed = 0;
  for (int sample = 0; sample < 1000; ++sample) {
    std::vector<double> values;
    for (int i = 0; i < 21; ++i) {
      const double even = static_cast<double>(random.below(1'000'001)) / 1'000'000;
      values.push_back(even * even * even);  // median 1/8, far from symmetric
    }
    const Interval interval = median_of(values);
    missed += interval.low > 0.125 || interval.high < 0.125;
  }
  EXPECT_LE(missed, 50);
  EXPECT_GE(missed, 8);
}

TEST(FixIntervals, SixValuesAreTheFewest) {
  const std::vector<double> six = {6, 1, 5, 2, 4, 3};
  const Interval interval = median_of(six);
  EXPECT_EQ(interval.value, 3.5);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 6);
}

}  // namespace
}  // namespace bohr::fix

// SPDX-License-Identifier: Apache-2.0
// Counts and times of own runs, from a replayer whose own runs are written down.
#include <gtest/gtest.h>

#include "explore/explore.h"
#include "explore_texts.h"
#include "forwarding_replayer.h"
#include "replay/symbolic/replayer.h"
#include "report/exploration_text.h"

namespace bohr::test {
namespace {

// Symbolic memory of two steps, of which own run i leaves `times[i]` between the two; below 0 they
// run the other way round.
class Timed : public ForwardingReplayer {
 public:
  Timed(Program program, std::vector<int64_t> times)
      : ForwardingReplayer(symbolic_of(std::move(program))), times_(std::move(times)) {}
  Result<replay::Outcome> run_unforced(uint64_t seed) override {
    const int64_t time = times_[(seed - 1) % times_.size()];
    const std::vector<int32_t> order =
        time < 0 ? std::vector<int32_t>{1, 0} : std::vector<int32_t>{0, 1};
    BOHR_TRY(outcome, run({.order = order}));
    outcome.spans = {{100, 200}, {200 + time, 1000}};
    return outcome;
  }

 private:
  std::vector<int64_t> times_;
};

TEST(OwnRuns, CountFailuresAndTimes) {
  const Program program = program_of(kProduceConsume);
  Timed replayer(program, {40, 7, -150, 30, 9});
  Verdict verdict;
  Finding finding;
  finding.cls = HazardClass::data;
  finding.first.op = OpId(0);
  finding.second.op = OpId(1);
  finding.cause = 1;
  verdict.findings.push_back(finding);
  const auto explored = explore::explore(replayer, verdict, {.own_runs = 5});
  ASSERT_TRUE(explored.ok()) << to_string(explored.error());
  EXPECT_EQ(explored.value().own.runs, 5);
  EXPECT_EQ(explored.value().own.different, 1);
  ASSERT_EQ(explored.value().trials.size(), 1u);
  EXPECT_EQ(explored.value().trials[0].slack_ns, 9) << "the median of 0 7 9 30 40";
  EXPECT_EQ(explored.value().trials[0].no_slack, 1);
}

TEST(OwnRuns, AreRefusedBeforeAnythingIsSpent) {
  auto replayer = replay::symbolic_replayer(program_of(kProduceConsume));
  const auto explored = explore::explore(*replayer.value(), {}, {.own_runs = 1});
  ASSERT_FALSE(explored.ok());
  EXPECT_EQ(explored.error().code, "no-own-run");
}

TEST(OwnRuns, AreToldWithWhatSoManyCanSay) {
  EXPECT_EQ(report::own_runs_text({200, 14}), "14 of 200 runs left other outputs (7.0%)");
  EXPECT_EQ(report::own_runs_text({1, 1}), "1 of 1 run left other outputs (100.0%)");
  EXPECT_EQ(report::own_runs_text({200, 0}),
            "0 of 200 runs left other outputs (less than 1.5%, as far as so few can say)");
}

}  // namespace
}  // namespace bohr::test

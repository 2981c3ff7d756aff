// SPDX-License-Identifier: Apache-2.0
// What the explorer finds, takes as right, and says of what it did not find.
#include "explore/explore.h"

#include <gtest/gtest.h>

#include "explore_texts.h"
#include "forwarding_replayer.h"
#include "replay/symbolic/replayer.h"

namespace bohr::test {
namespace {

using Lines = std::vector<std::string>;

const std::string kTwoStreams = "stream a\nstream b\n";
const std::string kMissingWait = kTwoStreams +
                                 "buffer x 64\nbuffer y 64\nbuffer z 64\n"
                                 "a: kernel produce writes x\nb: kernel consume reads x writes y\n"
                                 "b: kernel after reads y writes z\n";

TEST(Explore, FindsAMissingWait) {
  const Exploration found = exploration_of(kMissingWait);
  EXPECT_EQ(found.baseline, BaselineKind::issue_order);
  EXPECT_EQ(witnesses_of(found), Lines{"produce | consume on x -> y z"});
  const Witness& witness = found.witnesses[0];
  const Program program = program_of(kMissingWait);
  EXPECT_EQ(labels_of(program, witness.right), "produce consume after");
  EXPECT_EQ(labels_of(program, witness.wrong), "consume produce after");
  EXPECT_EQ(witness.damaged.label, "consume");
  EXPECT_EQ(witness.replays, 20);
  EXPECT_EQ(witness.identical, 20);
  EXPECT_NE(witness.cause, 0);
}

TEST(Explore, FindsNothingWhereTheWaitIsThere) {
  const Exploration found = exploration_of(
      kTwoStreams +
      "buffer x 64\nbuffer y 64\na: kernel produce writes x\na: record e\nb: wait e\n"
      "b: kernel consume reads x writes y\n");
  EXPECT_EQ(witnesses_of(found), Lines{});
  EXPECT_EQ(found.different, 0);
  EXPECT_TRUE(found.pairs_covered);
}

TEST(Explore, TakesARightOrderWhereIssueOrderIsWrong) {
  const std::string text =
      kTwoStreams +
      "buffer u 64\nbuffer v 64\nbuffer p 64\nbuffer q 64\n"
      "a: alloc s1 64\na: free s1\nb: alloc s2 64 over s1\n"
      "a: kernel p1 reads p writes s1\nb: kernel p2 reads q writes s2\n"
      "a: kernel c1 reads s1 writes u\nb: kernel c2 reads s2 writes v\nb: free s2\n";
  const Exploration found = exploration_of(text);
  EXPECT_EQ(found.baseline, BaselineKind::reordered);
  ASSERT_FALSE(found.witnesses.empty());
  const Program program = program_of(text);
  const std::string right = labels_of(program, found.witnesses[0].right);
  EXPECT_TRUE(right == "p1 c1 p2 c2" || right == "p2 c2 p1 c1") << right;
}

TEST(Explore, CallsNothingRightWhereNoOrderIs) {
  // Each consumer comes after the other's producer, so one of them must read the other's bytes.
  const Exploration found =
      exploration_of(kTwoStreams +
                     "buffer u 64\nbuffer v 64\n"
                     "a: alloc s1 64\na: free s1\nb: alloc s2 64 over s1\n"
                     "a: kernel p1 writes s1\na: record e1\nb: kernel p2 writes s2\nb: record e2\n"
                     "a: wait e2\nb: wait e1\n"
                     "a: kernel c1 reads s1 writes u\nb: kernel c2 reads s2 writes v\n");
  EXPECT_EQ(found.baseline, BaselineKind::none);
  EXPECT_EQ(found.broken_reads, 1);
  ASSERT_FALSE(found.witnesses.empty());
  for (const Witness& witness : found.witnesses) EXPECT_FALSE(witness.right_is_baseline);
}

TEST(Explore, TellsDamageThatReachesNoOutput) {
  const Exploration found =
      exploration_of(kTwoStreams +
                     "buffer x 64\nbuffer y 64\nscratch y\n"
                     "a: kernel produce writes x\nb: kernel consume reads x writes y\n");
  EXPECT_EQ(witnesses_of(found), Lines{"produce | consume on x ->"});
  EXPECT_EQ(found.witnesses[0].damaged.label, "consume");
  EXPECT_FALSE(found.witnesses[0].reaches_output());
}

TEST(Explore, SaysSameBytesWhereAReversalChangesNothing) {
  // The second launch overwrites x with the bytes that are there.
  const std::string text = kTwoStreams +
                           "buffer x 64\nbuffer y 64\n"
                           "capture g on a\na: kernel w writes x\nend g\n"
                           "a: launch g\na: record e\nb: wait e\n"
                           "b: kernel r reads x writes y\na: launch g\n";
  const Exploration found = exploration_of(text);
  EXPECT_TRUE(found.witnesses.empty());
  ASSERT_EQ(found.trials.size(), 1u);
  EXPECT_EQ(found.trials[0].result, TrialResult::same_bytes);
  EXPECT_EQ(found.trials[0].contents, 2) << "tried with zeros too";
}

TEST(Explore, StopsAtTheFirstDamageWhereItMayNotRunOn) {
  explore::Options options;
  options.run_on = false;
  const Exploration found = exploration_of(kMissingWait, options);
  ASSERT_EQ(found.witnesses.size(), 1u);
  const Witness& witness = found.witnesses[0];
  EXPECT_EQ(witness.first.label + " " + witness.second.label, "produce consume");
  EXPECT_EQ(witness.damaged.label, "consume");
  EXPECT_TRUE(witness.stopped);
  EXPECT_FALSE(witness.reaches_output()) << "after, which reads it, has not run";
  EXPECT_EQ(witness.identical, 20);
}

// Symbolic memory in which the last step fails when it was handed foreign bytes.
class Fragile : public ForwardingReplayer {
 public:
  explicit Fragile(Program program) : ForwardingReplayer(symbolic_of(std::move(program))) {}
  Result<replay::Outcome> run(const replay::Request& request) override {
    auto outcome = ForwardingReplayer::run(request);
    if (!outcome.ok() || outcome.value().ran < request.order.size()) return outcome;
    if (right_.empty()) right_ = outcome.value().digests;
    if (outcome.value().digests != right_) return Error{"sim-access", "", "", "out of bounds", ""};
    return outcome;
  }

 private:
  std::vector<uint64_t> right_;  // of the first run
};

TEST(Explore, TakesAnOrderThatCannotBeRunToItsEndForADifference) {
  Fragile replayer(program_of(kMissingWait));
  const auto explored = explore::explore(replayer, {}, {});
  ASSERT_TRUE(explored.ok()) << to_string(explored.error());
  ASSERT_EQ(explored.value().witnesses.size(), 1u);
  EXPECT_TRUE(explored.value().witnesses[0].stopped);
  EXPECT_EQ(explored.value().witnesses[0].damaged.label, "consume");
}

TEST(Explore, KeepsOneWitnessACause) {
  const Exploration found = exploration_of(
      kTwoStreams +
      "buffer x 64\nbuffer y 64\nbuffer z 64\n"
      "a: kernel p writes x, z\nb: kernel c1 reads x writes y\nb: kernel c2 updates z\n");
  ASSERT_EQ(found.witnesses.size(), 1u) << "one missing wait";
  EXPECT_EQ(found.trials.size(), 2u);
}

TEST(Explore, NeedsABudget) {
  auto replayer = replay::symbolic_replayer(program_of(kMissingWait));
  explore::Options options;
  options.budget = 0;
  const auto explored = explore::explore(*replayer.value(), {}, options);
  ASSERT_FALSE(explored.ok());
  EXPECT_EQ(explored.error().code, "explore-budget");
}

TEST(Explore, SaysWhenTheBudgetIsUsedUp) {
  explore::Options options;
  options.budget = 5;
  const Exploration found = exploration_of(kMissingWait, options);
  EXPECT_EQ(found.reasons, Lines{"budget"});
  EXPECT_EQ(found.replays, 5);
  EXPECT_FALSE(found.pairs_covered);
}

TEST(Explore, WorksWithoutBeingToldAnything) {
  auto replayer = replay::symbolic_replayer(program_of(kMissingWait));
  const auto explored = explore::explore(*replayer.value(), {}, {});
  ASSERT_TRUE(explored.ok());
  EXPECT_EQ(witnesses_of(explored.value()), Lines{"produce | consume on x -> y z"});
  EXPECT_EQ(explored.value().witnesses[0].cause, 0);
}

TEST(Explore, IsTheSameForOneSeed) {
  const auto lines = [](const Exploration& exploration) {
    Lines all = witnesses_of(exploration);
    all.push_back(std::to_string(exploration.replays) + " " + std::to_string(exploration.orders));
    return all;
  };
  EXPECT_EQ(lines(exploration_of(kMissingWait)), lines(exploration_of(kMissingWait)));
}

TEST(Explore, TriesEveryOrderOnceWhenAsked) {
  explore::Options options;
  options.all_orders = true;
  const Exploration found =
      exploration_of(kTwoStreams +
                         "buffer x 64\nbuffer y 64\na: kernel k1 writes x\na: kernel k2 writes x\n"
                         "b: kernel k3 reads x writes y\n",
                     options);
  EXPECT_TRUE(found.exhaustive);
  EXPECT_EQ(found.orders, 2) << "k3 after one or none of the writes, beside the baseline";
}

TEST(Explore, RefusesACyclicGraph) {
  Program program = program_of(
      "stream a\nbuffer x 64\ncapture g on a\na: kernel k1 writes x\na: kernel k2 writes x\nend g\n"
      "a: launch g\n");
  program.graphs[0].edges.push_back({NodeId(1), NodeId(0), EdgeKind::full});
  auto replayer = replay::symbolic_replayer(std::move(program));
  ASSERT_TRUE(replayer.ok());
  const auto explored = explore::explore(*replayer.value(), {}, {});
  ASSERT_FALSE(explored.ok());
  EXPECT_EQ(explored.error().code, "graph-cycle");
}

}  // namespace
}  // namespace bohr::test

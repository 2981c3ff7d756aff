// SPDX-License-Identifier: Apache-2.0
// Which baseline follows from what a program's own launches leave, where access sets were observed.
// The replayer is symbolic memory whose own launches run orders that are written down.
#include <gtest/gtest.h>

#include <optional>

#include "explore/explore.h"
#include "explore_texts.h"
#include "forwarding_replayer.h"

namespace bohr::test {
namespace {

using Own = bohr::OwnLaunches;  // the suite has the same name

using Orders = std::vector<std::vector<int32_t>>;

const std::string kTwoMissingWaits = kProduceConsume +
                                     "buffer u 64\nbuffer v 64\n"
                                     "a: kernel fill writes u\nb: kernel use reads u writes v\n";
// One scratch for two: wrong as issued.
const std::string kSharedScratch =
    "stream a\nstream b\nbuffer s 64\nbuffer o 64\nbuffer p 64\n"
    "a: kernel first writes s\nb: kernel second writes s\n"
    "a: kernel use_first reads s writes o\nb: kernel use_second reads s writes p\n";

class Launched : public ForwardingReplayer {
 public:
  Launched(Program program, Orders own, int32_t contents = 2)
      : ForwardingReplayer(symbolic_of(std::move(program))),
        own_(std::move(own)),
        contents_(contents) {}

  Result<replay::Saved> learn() override {
    BOHR_TRY(saved, ForwardingReplayer::learn());
    saved.contents = contents_;
    return saved;
  }
  Result<replay::Outcome> run(const replay::Request& request) override {
    after_own_ = false;
    return ForwardingReplayer::run(request);
  }
  Result<replay::Outcome> run_unforced(uint64_t) override {
    if (error) return *error;
    const std::vector<int32_t>& order = own_[launches++ % own_.size()];
    BOHR_TRY(outcome, run({.order = order}));
    after_own_ = true;
    return outcome;
  }
  Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) override {
    BOHR_TRY(digests, ForwardingReplayer::digest(ranges));
    for (uint64_t& digest : digests) digest += after_own_ ? strangeness : 0;
    return digests;
  }

  std::optional<Error> error;  // of own launches
  uint64_t strangeness = 0;    // what own launches leave, apart from any order
  size_t launches = 0;

 private:
  Orders own_;
  int32_t contents_;
  bool after_own_ = false;
};

Exploration explored(Launched& replayer) {
  auto exploration = explore::explore(replayer, {}, {});
  EXPECT_TRUE(exploration.ok()) << to_string(exploration.error());
  return exploration.ok() ? std::move(exploration).value() : Exploration();
}

// The right schedule of the first witness.
std::string right_of(const Launched& replayer, const Exploration& exploration) {
  if (exploration.witnesses.empty()) return "no witness";
  return labels_of(replayer.program(), exploration.witnesses.front().right);
}

TEST(OwnLaunches, LeaveWhatIssueOrderLeaves) {
  Launched replayer(program_of(kProduceConsume), {{0, 1}});
  const Exploration exploration = explored(replayer);
  EXPECT_EQ(exploration.baseline, BaselineKind::issue_order);
  EXPECT_EQ(right_of(replayer, exploration), "produce consume");
  EXPECT_EQ(replayer.launches, 3u) << "three that agree are called stable";
  EXPECT_EQ(exploration.own_launches, Own::equal);
}

TEST(OwnLaunches, LeaveWhatAnotherOrderLeaves) {
  Launched replayer(program_of(kProduceConsume), {{1, 0}});
  const Exploration exploration = explored(replayer);
  EXPECT_EQ(exploration.baseline, BaselineKind::own_launches);
  EXPECT_EQ(right_of(replayer, exploration), "consume produce");
  ASSERT_EQ(exploration.witnesses.size(), 1u);
  EXPECT_TRUE(exploration.witnesses.front().right_is_baseline);
  EXPECT_EQ(exploration.own_launches, Own::equal);
}

// Where intended writers want an order that launches do not take, launches are believed.
TEST(OwnLaunches, WinOverIntendedWriters) {
  Launched as_issued(program_of(kSharedScratch), {{0, 1, 2, 3}});
  EXPECT_EQ(explored(as_issued).baseline, BaselineKind::issue_order);
  Launched as_intended(program_of(kSharedScratch), {{0, 2, 1, 3}});
  EXPECT_EQ(explored(as_intended).baseline, BaselineKind::reordered);
}

TEST(OwnLaunches, LeaveWhatNoOrderLeaves) {
  Launched replayer(program_of(kProduceConsume), {{0, 1}});
  replayer.strangeness = 1;
  const Exploration exploration = explored(replayer);
  EXPECT_EQ(exploration.baseline, BaselineKind::none);
  ASSERT_EQ(exploration.witnesses.size(), 1u) << "two results are there all the same";
  EXPECT_FALSE(exploration.witnesses.front().right_is_baseline);
  EXPECT_EQ(exploration.own_launches, Own::different);
}

// y varies from launch to launch, x is what any order leaves.
TEST(OwnLaunches, ThatVaryDecideNothing) {
  Launched replayer(program_of(kProduceConsume), {{1, 0}, {0, 1}});
  const Exploration exploration = explored(replayer);
  EXPECT_EQ(exploration.baseline, BaselineKind::issue_order);
  EXPECT_EQ(exploration.own_launches, Own::unstable);
}

// v varies, and y is always what the reversed pair leaves.
TEST(OwnLaunches, DecideByTheOutputsThatDoNotVary) {
  Launched replayer(program_of(kTwoMissingWaits), {{1, 0, 2, 3}, {1, 0, 3, 2}});
  const Exploration exploration = explored(replayer);
  EXPECT_EQ(exploration.baseline, BaselineKind::own_launches);
  ASSERT_FALSE(exploration.witnesses.empty());
  for (const Witness& witness : exploration.witnesses)
    EXPECT_TRUE(witness.right_is_baseline) << witness.first.label;
  EXPECT_EQ(exploration.own_launches, Own::unstable);
}

TEST(OwnLaunches, AreNotAskedForWhereAccessesAreDeclared) {
  Launched replayer(program_of(kProduceConsume), {{1, 0}}, 0);
  const Exploration exploration = explored(replayer);
  EXPECT_EQ(exploration.baseline, BaselineKind::issue_order);
  EXPECT_EQ(exploration.own_launches, Own::not_run);
  EXPECT_EQ(replayer.launches, 0u);
}

TEST(OwnLaunches, NeedNotExist) {
  Launched replayer(program_of(kProduceConsume), {{1, 0}});
  replayer.error = Error{"no-own-run", "", "", "", ""};
  const Exploration exploration = explored(replayer);
  EXPECT_EQ(exploration.baseline, BaselineKind::issue_order);
  EXPECT_EQ(exploration.own_launches, Own::not_run);
}

TEST(OwnLaunches, ThatFailAreNoBaseline) {
  Launched lost(program_of(kProduceConsume), {{0, 1}});
  lost.error = Error{"process-lost", "", "", "", ""};
  const Exploration exploration = explored(lost);
  EXPECT_EQ(exploration.reasons, std::vector<std::string>{"process-lost"});
  EXPECT_TRUE(exploration.witnesses.empty());

  Launched refused(program_of(kProduceConsume), {{0, 1}});
  refused.error = Error{"explore-device", "", "", "", ""};
  const auto result = explore::explore(refused, {}, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "explore-device");
}

}  // namespace
}  // namespace bohr::test

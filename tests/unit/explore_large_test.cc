// SPDX-License-Identifier: Apache-2.0
// Programs of 10^5 steps, with one block that all of them use: nothing here may look at all pairs
// of uses, which would take hours, and what is left out is said.
#include <gtest/gtest.h>

#include <functional>

#include "explore/all_orders.h"
#include "explore_texts.h"
#include "order/graph_order.h"
#include "order/program_order.h"

namespace bohr::test {
namespace {

using Lines = std::vector<std::string>;

constexpr int kStreams = 8;
constexpr int kRounds = 12500;

// One graph of `rounds` kernels on each of eight streams that join every 16 rounds where `joins`
// says so. `clauses(round, stream)` is what a kernel does beside updating a block of its own
// stream.
struct Clauses {
  std::string reads_and_writes, atomics;
};
std::string wide_graph(int rounds, bool joins, const std::function<Clauses(int, int)>& clauses) {
  std::string text;
  for (int s = 0; s < kStreams; ++s)
    text += "stream s" + std::to_string(s) + "\nbuffer b" + std::to_string(s) + " 64\n";
  text += "buffer hot 64\ncapture g on s0\ns0: kernel first writes hot\ns0: record fork\n";
  const auto each = [&](const std::string& verb, const std::string& event) {
    for (int s = 1; s < kStreams; ++s)
      text += "s" + std::to_string(s) + ": " + verb + " " + event + "\n";
  };
  each("wait", "fork");
  for (int round = 0; round < rounds; ++round) {
    for (int s = 0; joins && round % 16 == 15 && s < kStreams; ++s) {
      const std::string stream = "s" + std::to_string(s), event = "j" + std::to_string(s);
      text += stream + ": record " + event + "\n" + (s > 0 ? "s0: wait " + event + "\n" : "");
    }
    if (joins && round % 16 == 15) text += "s0: record all\n", each("wait", "all");
    for (int s = 0; s < kStreams; ++s) {
      const Clauses more = clauses(round, s);
      const std::string number = std::to_string(s);
      text += "s" + number + ": kernel k" + std::to_string(round) + "_" + number + " " +
              more.reads_and_writes + " updates b" + number + " " + more.atomics + "\n";
    }
  }
  return text + "end g\ns0: launch g\n";
}

TEST(ExploreLarge, AtomicsOnOneCellAreNoRace) {
  const Exploration found = exploration_of(wide_graph(kRounds, true,
                                                      [](int, int) {
                                                        return Clauses{"", "atomics hot"};
                                                      }),
                                           {.budget = 40, .all_orders = true});
  EXPECT_EQ(found.steps, kStreams * kRounds + 1);
  EXPECT_EQ(found.baseline, BaselineKind::issue_order);
  EXPECT_EQ(found.orders, 0);
  EXPECT_TRUE(found.exhaustive) << "no step races, so there is one order";
  EXPECT_EQ(found.reasons, Lines{});
}

TEST(ExploreLarge, OneMissingWaitAmongAll) {
  // All read the block; one kernel writes it and nobody waits for that one.
  const Exploration found = exploration_of(
      wide_graph(kRounds, true,
                 [](int round, int s) -> Clauses {
                   return {round == kRounds / 2 && s == 3 ? "writes hot" : "reads hot", ""};
                 }),
      {.budget = 100});
  EXPECT_EQ(found.baseline, BaselineKind::issue_order);
  ASSERT_FALSE(found.witnesses.empty());
  const std::string writer = "k" + std::to_string(kRounds / 2) + "_3";
  const Witness& witness = found.witnesses[0];
  EXPECT_TRUE(witness.first.label == writer || witness.second.label == writer)
      << witnesses_of(found)[0];
  EXPECT_EQ(found.reasons, Lines{"budget"});
  EXPECT_EQ(found.replays, 100);
}

TEST(ExploreLarge, WhereEverythingRacesItSaysWhatItGaveUp) {
  const Exploration found = exploration_of(wide_graph(kRounds, false,
                                                      [](int, int) {
                                                        return Clauses{"reads hot writes hot", ""};
                                                      }),
                                           {.budget = 10});
  EXPECT_EQ(found.baseline, BaselineKind::none);
  EXPECT_EQ(found.reasons, (Lines{"baseline-given-up", "budget"}));
  EXPECT_FALSE(found.pairs_covered);
}

TEST(AllOrders, DoesNotBranchWhereNothingRaces) {
  const Program program = program_of(wide_graph(4, false, [](int round, int s) -> Clauses {
    return {round == 3 && s < 2 ? "writes hot" : "", ""};
  }));
  const auto order = order::step_order(program, false).value();
  const auto uses = explore::Footprints::of(program, order).value();
  int64_t visited = 0;
  const auto count = [&](const explore::Schedule& schedule) {
    EXPECT_TRUE(explore::is_legal(order, schedule));
    ++visited;
    return true;
  };
  EXPECT_EQ(explore::for_each_order(order, uses, 100000, count), explore::Visited::all);
  EXPECT_EQ(visited, 2) << "the two writes, either way";
  visited = 0;
  EXPECT_EQ(explore::for_each_order(order, uses, 20, count), explore::Visited::given_up);
  EXPECT_EQ(visited, 0) << "one order alone takes 33 steps";
  const auto stop = [](const explore::Schedule&) { return false; };
  EXPECT_EQ(explore::for_each_order(order, uses, 100000, stop), explore::Visited::stopped);
}

TEST(OrderSize, IsRefusedWhereRowsOutgrowMemory) {
  const Program program = program_of(wide_graph(4, false, [](int, int) { return Clauses(); }));
  EXPECT_TRUE(order::step_order(program, false).ok());
  const auto steps = order::step_order(program, false, 100);
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, "order-too-large");
  const auto graph = order::graph_order(program.graphs[0], 100);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().code, "order-too-large");
  const auto ops = order::program_order(program, false, 1);
  ASSERT_FALSE(ops.ok());
  EXPECT_EQ(ops.error().code, "order-too-large");
}

}  // namespace
}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
// What was tried in the running program decides; what was not tried only holds in the check.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "app/held_fix.h"

namespace bohr::app {
namespace {

constexpr const char* kSite = "reuse-1234";

RepairPart edge(int32_t graph, int32_t from, int32_t to) {
  RepairPart part;
  part.graph = GraphId(graph);
  part.from = from, part.to = to;
  return part;
}
RepairPart own_memory(uint32_t access) {
  RepairPart part;
  part.kind = RepairKind::separate;
  part.accesses = {{GraphId(0), access}};
  return part;
}

Repair holds(RepairKind kind, std::vector<RepairPart> parts) {
  Repair repair;
  repair.cause = 1;
  repair.kind = kind;
  repair.parts = std::move(parts);
  repair.verified = repair.by_check = true;
  return repair;
}

Tried tried(RepairKind kind, std::vector<RepairPart> parts, bool verified) {
  Tried one{kSite, holds(kind, std::move(parts))};
  one.repair.verified = verified;
  one.repair.by_check = false;
  if (!verified) one.repair.refuted = "2 of 9 orders still differ";
  return one;
}

TriedRepairs in_graph(int32_t graph, std::vector<Tried> repairs) {
  return {GraphId(graph), "graph " + std::to_string(graph + 1), std::move(repairs), {}};
}

Repairs told(std::vector<Repair> proposals, std::vector<TriedRepairs> trials) {
  Verdict verdict;
  verdict.causes.resize(1);
  verdict.causes[0].id = 1;
  verdict.causes[0].site = kSite;
  Repairs repairs;
  repairs.proposals = std::move(proposals);
  repairs.proposals.front().chosen = true;
  repairs.reasons = {"fix-not-replayed"};
  repairs.complete = true;
  tell_tried(trials, verdict, &repairs);
  return repairs;
}

TEST(HeldFix, WhatWasTriedIsVerified) {
  const Repairs repairs = told({holds(RepairKind::edge, {edge(0, 1, 2)})},
                               {in_graph(0, {tried(RepairKind::edge, {edge(0, 1, 2)}, true)})});
  EXPECT_TRUE(repairs.proposals[0].verified);
  EXPECT_FALSE(repairs.proposals[0].by_check);
  EXPECT_EQ(repairs.proposals[0].graphs_by_check, 0);
  EXPECT_TRUE(repairs.reasons.empty());
}

TEST(HeldFix, WhatWasNotTriedHoldsInTheCheck) {
  const Repairs repairs = told({holds(RepairKind::edge, {edge(0, 1, 2)})},
                               {in_graph(0, {tried(RepairKind::edge, {edge(0, 3, 4)}, true)})});
  EXPECT_TRUE(repairs.proposals[0].verified);
  EXPECT_TRUE(repairs.proposals[0].by_check);
  EXPECT_EQ(repairs.reasons, (std::vector<std::string>{"fix-not-replayed"}));
}

// As on the simulated GPU: its orders were run with all graphs.
TEST(HeldFix, WhatWasRunWholeNeedsNoTrial) {
  Repair whole = holds(RepairKind::edge, {edge(0, 1, 2), edge(1, 1, 2)});
  whole.by_check = false;
  EXPECT_EQ(told({whole}, {}).proposals[0].graphs_by_check, 0);
}

TEST(HeldFix, AGraphThatNeedsNoneOfItWasNotTried) {
  Tried covered = tried(RepairKind::edge, {}, false);
  covered.repair.covered = true;
  const Repairs repairs =
      told({holds(RepairKind::edge, {edge(0, 1, 2), edge(1, 1, 2)})},
           {in_graph(0, {tried(RepairKind::edge, {edge(0, 1, 2)}, true)}), in_graph(1, {covered})});
  EXPECT_EQ(repairs.proposals[0].graphs_by_check, 1);
}

TEST(HeldFix, GraphsThatWereNotTriedAreCounted) {
  const std::vector<RepairPart> parts = {edge(0, 1, 2), edge(1, 1, 2), edge(2, 1, 2),
                                         edge(2, 3, 4)};
  const Repairs repairs = told({holds(RepairKind::edge, parts)},
                               {in_graph(0, {tried(RepairKind::edge, {edge(0, 1, 2)}, true)})});
  EXPECT_FALSE(repairs.proposals[0].by_check);
  EXPECT_EQ(repairs.proposals[0].graphs_by_check, 2);
  EXPECT_EQ(repairs.reasons, (std::vector<std::string>{"fix-not-replayed"}));
}

// Of what does not hold no part was dropped: it has more than what the check says is enough.
TEST(HeldFix, WhatDidNotHoldIsNotVerifiedWithFewerPartsEither) {
  const Repairs repairs =
      told({holds(RepairKind::separate, {own_memory(3)}), holds(RepairKind::edge, {edge(0, 1, 2)})},
           {in_graph(0, {tried(RepairKind::separate, {own_memory(3), own_memory(5)}, false),
                         tried(RepairKind::edge, {edge(0, 1, 2)}, true)})});
  const auto separate = std::ranges::find(repairs.proposals, RepairKind::separate, &Repair::kind);
  EXPECT_FALSE(separate->verified);
  EXPECT_FALSE(separate->chosen);
  EXPECT_EQ(separate->refuted, "in graph 1 2 of 9 orders still differ");
  const auto edges = std::ranges::find(repairs.proposals, RepairKind::edge, &Repair::kind);
  EXPECT_TRUE(edges->verified && edges->chosen);
  EXPECT_TRUE(repairs.complete);
}

// What holds with more parts than the whole has says nothing of the whole.
TEST(HeldFix, WhatHeldWithMorePartsIsAnotherRepair) {
  const Repairs repairs =
      told({holds(RepairKind::edge, {edge(0, 1, 2)})},
           {in_graph(0, {tried(RepairKind::edge, {edge(0, 1, 2), edge(0, 3, 4)}, true)})});
  EXPECT_TRUE(repairs.proposals[0].by_check);
}

TEST(HeldFix, WhatWasMovedInACopyIsVerifiedThere) {
  Tried copied = tried(RepairKind::separate, {own_memory(3)}, true);
  copied.repair.in_copy = true;
  const Repairs repairs =
      told({holds(RepairKind::separate, {own_memory(3)})}, {in_graph(0, {copied})});
  EXPECT_TRUE(repairs.proposals[0].in_copy);
  EXPECT_FALSE(repairs.proposals[0].by_check);
  EXPECT_TRUE(repairs.reasons.empty());
}

}  // namespace
}  // namespace bohr::app

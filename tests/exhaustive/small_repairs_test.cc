// SPDX-License-Identifier: Apache-2.0
// Repairs of every small program: after the proposed edges no two conflicting nodes are unordered,
// an order in which every read sees its intended writer is still legal, and to drop any edge leaves
// a hazard. Hazards are counted by looking at every pair under the closure of the edges. The quick
// suite takes a sample of the fillings by seed, for every shape.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/random.h"
#include "check/check.h"
#include "exhaustive/sizes.h"
#include "exhaustive/small_programs.h"
#include "fix/apply.h"
#include "fix/fix.h"
#include "fix/setting.h"
#include "order/step_order.h"

namespace bohr::naive {
namespace {

const Size kFourOverTwo = {4, 2, {AccessMode::read, AccessMode::write, AccessMode::update}};
const Size kFiveOverOne = {5, 1, {AccessMode::read, AccessMode::write, AccessMode::update}};

struct Tally {
  int64_t programs = 0;
  int64_t hazardous = 0;
  int64_t repaired = 0;
  int64_t without_right_order = 0;
};

size_t hazards_with(const Program& program, const std::vector<RepairPart>& parts) {
  const auto repaired = fix::with_repairs(program, parts);
  EXPECT_TRUE(repaired.ok());
  const Graph& graph = repaired.value().graphs[0];
  const size_t n = graph.nodes.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  for (const Edge& edge : graph.edges) before[edge.from.index()][edge.to.index()] = true;
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        if (before[i][k] && before[k][j]) before[i][j] = true;
  size_t hazards = 0;
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a + 1; b < n; ++b) {
      bool conflict = false;
      for (const Access& x : accesses_of(graph, graph.nodes[a]))
        for (const Access& y : accesses_of(graph, graph.nodes[b]))
          conflict = conflict || (x.range.overlaps(y.range) && (writes(x.mode) || writes(y.mode)));
      hazards += conflict && !before[a][b] && !before[b][a];
    }
  }
  return hazards;
}

::testing::AssertionResult repaired(const SmallProgram& small, Tally* tally) {
  const Program& program = small.program();
  const Result<Verdict> verdict = check::check(program, {});
  if (!verdict.ok()) return ::testing::AssertionFailure() << to_string(verdict.error());
  ++tally->programs;
  if (verdict.value().findings.empty()) return ::testing::AssertionSuccess();
  ++tally->hazardous;
  const auto setting = fix::setting_of(program, verdict.value(), false);
  if (!setting.ok()) return ::testing::AssertionFailure() << to_string(setting.error());
  const auto repairs = fix::fix(program, verdict.value(), {});
  if (!repairs.ok()) return ::testing::AssertionFailure() << to_string(repairs.error());
  if (setting.value().right_place.empty()) {
    ++tally->without_right_order;
    return repairs.value().proposals.empty()
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << "edges although no order is right";
  }
  std::vector<RepairPart> parts;
  for (const Repair& repair : repairs.value().proposals) {
    if (!repair.chosen) continue;
    if (!repair.verified && !repair.covered)
      return ::testing::AssertionFailure() << "not verified: " << repair.refuted;
    for (const RepairPart& part : repair.parts)
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  if (hazards_with(program, parts) != 0) return ::testing::AssertionFailure() << "a hazard is left";
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<RepairPart> fewer = parts;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    if (hazards_with(program, fewer) == 0)
      return ::testing::AssertionFailure() << "a part is not needed";
  }
  const auto after = fix::with_repairs(program, parts);
  const auto order = order::step_order(after.value(), false);
  explore::Schedule right(setting.value().right_place.size());
  for (size_t i = 0; i < right.size(); ++i)
    right[static_cast<size_t>(setting.value().right_place[i])] = static_cast<int32_t>(i);
  if (!explore::is_legal(order.value(), right))
    return ::testing::AssertionFailure() << "the right order is no longer legal";
  ++tally->repaired;
  return ::testing::AssertionSuccess();
}

void repair_all(const char* what, const Size& size, uint64_t fillings_per_shape, uint64_t seed) {
  Tally tally;
  Random random(seed);
  const uint64_t count = fillings_per_shape ? fillings_per_shape : size.fillings();
  for (uint64_t shape = 0; shape < size.shapes(); ++shape) {
    SmallProgram small(size, shape);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t filling = fillings_per_shape ? random.next() % size.fillings() : i;
      small.fill(filling);
      ASSERT_TRUE(repaired(small, &tally)) << "shape " << shape << " filling " << filling;
    }
  }
  std::printf("%s: %lld programs, %lld hazardous, %lld repaired, %lld without a right order\n",
              what, static_cast<long long>(tally.programs), static_cast<long long>(tally.hazardous),
              static_cast<long long>(tally.repaired),
              static_cast<long long>(tally.without_right_order));
  EXPECT_GT(tally.repaired, 0);
}

TEST(SmallRepairs, FourNodesOverTwoRanges) { repair_all("4 nodes, 2 ranges", kFourOverTwo, 60, 1); }
TEST(SmallRepairs, FiveNodesOverOneRange) { repair_all("5 nodes, 1 range", kFiveOverOne, 5, 2); }
TEST(SmallRepairsFull, FourNodesOverTwoRanges) {
  BOHR_FULL_ONLY();
  repair_all("4 nodes, 2 ranges", kFourOverTwo, 0, 0);
}
TEST(SmallRepairsFull, FiveNodesOverOneRange) {
  BOHR_FULL_ONLY();
  repair_all("5 nodes, 1 range", kFiveOverOne, 0, 0);
}

}  // namespace
}  // namespace bohr::naive

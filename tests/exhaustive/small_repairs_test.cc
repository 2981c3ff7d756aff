// SPDX-License-Identifier: Apache-2.0
// Repairs of every small program: afterwards no two conflicting nodes are unordered, every read
// sees its intended writer, and to drop any part leaves a hazard or a wrong read. Where a right
// order exists it is still legal; where none does, some accesses have other memory. Hazards are
// counted by looking at every pair under the closure of the edges, and what reads see by running
// the nodes in an order of these edges. The quick suite takes a sample of the fillings by seed, for
// every shape.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

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

// Runs the nodes in an order of the edges and looks which write each read meets. Only where nothing
// is unordered does one order stand for all.
size_t wrong_reads_with(const fix::Setting& setting, const std::vector<RepairPart>& parts) {
  const auto repaired = fix::with_repairs(setting.program, parts);
  EXPECT_TRUE(repaired.ok());
  const Graph &was = setting.program.graphs[0], &graph = repaired.value().graphs[0];
  const size_t n = graph.nodes.size();
  std::vector<size_t> order;
  std::vector<bool> done(n, false);
  while (order.size() < n) {
    size_t next = 0;
    const auto ready = [&](size_t node) {
      return !done[node] && std::all_of(graph.edges.begin(), graph.edges.end(), [&](const Edge& e) {
        return e.to.index() != node || done[e.from.index()];
      });
    };
    while (!ready(next)) ++next;
    done[next] = true;
    order.push_back(next);
  }
  // By the first byte of a range, which no two ranges share: its last writer.
  std::map<uint64_t, int32_t> last;
  const auto seen = [&](uint64_t place) {
    const auto found = last.find(place);
    return found == last.end() ? explore::kNothing : found->second;
  };
  size_t wrong = 0;
  for (const size_t node : order) {
    const Op& op = graph.nodes[node];
    const std::span<const Access> old = accesses_of(was, was.nodes[node]);
    for (size_t k = 0; k < old.size(); ++k)
      for (const explore::Intent& intent : setting.intents)
        if (intent.reader == static_cast<int32_t>(node) && reads(old[k].mode) &&
            setting.uses.range(intent.cell).begin == old[k].range.begin)
          wrong += seen(accesses_of(graph, op)[k].range.begin) != intent.writer;
    for (uint32_t i = op.access_begin; i < op.access_begin + op.access_count; ++i)
      if (writes(graph.accesses[i].mode))
        last[graph.accesses[i].range.begin] = static_cast<int32_t>(node);
  }
  for (const explore::Intent& intent : setting.intents)
    if (intent.reader == explore::kNothing)
      wrong += seen(setting.uses.range(intent.cell).begin) != intent.writer;
  return wrong;
}

::testing::AssertionResult repaired(const SmallProgram& small, Tally* tally) {
  const Program& program = small.program();
  const Result<Verdict> verdict = check::check(program, {});
  if (!verdict.ok()) return ::testing::AssertionFailure() << to_string(verdict.error());
  ++tally->programs;
  if (verdict.value().findings.empty()) return ::testing::AssertionSuccess();
  ++tally->hazardous;
  const auto setting = fix::setting_of(program, verdict.value(), {});
  if (!setting.ok()) return ::testing::AssertionFailure() << to_string(setting.error());
  const auto repairs = fix::fix(program, verdict.value(), {});
  if (!repairs.ok()) return ::testing::AssertionFailure() << to_string(repairs.error());
  const bool any_right = !setting.value().right_place.empty();
  tally->without_right_order += !any_right;
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
    if (hazards_with(program, fewer) == 0 && wrong_reads_with(setting.value(), fewer) == 0)
      return ::testing::AssertionFailure() << "a part is not needed";
  }
  if (wrong_reads_with(setting.value(), parts) != 0)
    return ::testing::AssertionFailure() << "a read sees another writer";
  ++tally->repaired;
  if (!any_right) return ::testing::AssertionSuccess();
  const auto after = fix::with_repairs(program, parts);
  const auto order = order::step_order(after.value(), false);
  explore::Schedule right(setting.value().right_place.size());
  for (size_t i = 0; i < right.size(); ++i)
    right[static_cast<size_t>(setting.value().right_place[i])] = static_cast<int32_t>(i);
  if (!explore::is_legal(order.value(), right))
    return ::testing::AssertionFailure() << "the right order is no longer legal";
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

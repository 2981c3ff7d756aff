// SPDX-License-Identifier: Apache-2.0
// What the explorer takes as racy, intended and broken, against the plain definitions that look at
// all uses of a cell, on random programs.
#include "explore/intended.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "exhaustive/random_case.h"
#include "explore/right_order.h"
#include "model/outputs.h"
#include "trace/case_reader.h"

namespace bohr::naive {
namespace {

using explore::Footprints;
using explore::Intent;
using explore::kNothing;
using explore::Schedule;
using explore::Use;
using order::StepOrder;
using Uses = std::span<const Use>;

std::vector<int32_t> racy_cells(const StepOrder& order, const Footprints& uses) {
  std::vector<int32_t> racy;
  for (int32_t cell = 0; cell < static_cast<int32_t>(uses.cells()); ++cell) {
    bool found = false;
    for (const Use& a : uses.of_cell(cell))
      for (const Use& b : uses.of_cell(cell))
        found = found || (conflict(a, b) && !order.ordered(a.step, b.step));
    if (found) racy.push_back(cell);
  }
  return racy;
}

bool read_after(const StepOrder& order, Uses uses, const Use& write) {
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.reads && use.lifetime == write.lifetime && order.before(write.step, use.step);
  });
}

bool used_by(const StepOrder& order, Uses uses, int32_t write, const Use& reader, int32_t later) {
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.reads && use.lifetime == reader.lifetime && use.step != reader.step &&
           use.step <= later && order.before(write, use.step);
  });
}

int32_t intended_writer(const StepOrder& order, Uses uses, const Use& reader) {
  int32_t ordered = kNothing, unread = kNothing, unordered = kNothing;
  for (const Use& use : uses) {
    if (!use.writes || use.step == reader.step || use.lifetime != reader.lifetime) continue;
    if (use.atomic && reader.atomic) continue;
    if (order.before(use.step, reader.step)) {
      if (ordered < 0 || !order.before(use.step, ordered)) ordered = use.step;
    } else if (use.step < reader.step && !order.ordered(use.step, reader.step)) {
      unordered = use.step;
      if (!read_after(order, uses, use)) unread = use.step;
    }
  }
  if (ordered < 0) return unordered;
  if (unordered >= 0 && used_by(order, uses, ordered, reader, unordered)) return unordered;
  return unread >= 0 ? unread : ordered;
}

int64_t broken(const Schedule& schedule, const Footprints& uses,
               const std::vector<Intent>& intents) {
  std::vector<int32_t> place(schedule.size());
  for (size_t i = 0; i < schedule.size(); ++i)
    place[static_cast<size_t>(schedule[i])] = static_cast<int32_t>(i);
  int64_t broken = 0;
  for (const Intent& intent : intents) {
    const int32_t begin = intent.writer < 0 ? -1 : place[static_cast<size_t>(intent.writer)];
    const int32_t end = intent.reader < 0 ? static_cast<int32_t>(schedule.size())
                                          : place[static_cast<size_t>(intent.reader)];
    bool whole = begin < end;
    for (const Use& use : uses.of_cell(intent.cell)) {
      const int32_t at = place[static_cast<size_t>(use.step)];
      if (begin < at && at < end && explore::is_foreign(use, intent)) whole = false;
    }
    broken += !whole;
  }
  return broken;
}

// What a run of the test met, so that it cannot pass on programs that show nothing.
struct Met {
  int racy = 0, unordered = 0, broken = 0, reordered = 0;
};

void agrees(uint64_t seed, Met* met) {
  const std::string text = join_lines(random_case(seed, 10 + seed % 60));
  const auto program = trace::read_case(text, "random");
  ASSERT_TRUE(program.ok()) << to_string(program.error()) << "\n" << text;
  const auto order = order::step_order(program.value(), false).value();
  const auto uses = Footprints::of(program.value(), order).value();
  ASSERT_EQ(uses.racy_cells(), racy_cells(order, uses)) << text;
  met->racy += !uses.racy_cells().empty();
  const std::vector<Intent> intents = explore::intents(program.value(), order, uses);
  for (const Intent& intent : intents) {
    if (intent.reader == kNothing) continue;
    const Uses of_cell = uses.of_cell(intent.cell);
    const auto reader = std::find_if(of_cell.begin(), of_cell.end(),
                                     [&](const Use& use) { return use.step == intent.reader; });
    ASSERT_EQ(intent.writer, intended_writer(order, of_cell, *reader))
        << "seed " << seed << ", reader " << intent.reader << "\n"
        << text;
    met->unordered += intent.writer >= 0 && !order.before(intent.writer, intent.reader);
  }
  for (uint64_t i = 0; i < 5; ++i) {
    const Schedule schedule =
        i == 0 ? explore::issue_schedule(order) : explore::random_schedule(order, seed + i, 3);
    const int64_t found = explore::broken_intents(schedule, uses, intents);
    ASSERT_EQ(found, broken(schedule, uses, intents)) << text;
    met->broken += found > 0;
  }
  const explore::RightOrder right = explore::right_order(order, uses, intents, 1000);
  if (right.schedule) {
    ASSERT_TRUE(explore::is_legal(order, *right.schedule)) << text;
    ASSERT_EQ(broken(*right.schedule, uses, intents), 0) << text;
    met->reordered += *right.schedule != explore::issue_schedule(order);
  }
}

TEST(Intended, AsThePlainDefinitionSays) {
  Met met;
  for (uint64_t seed = 1; seed <= 2000 && !testing::Test::HasFatalFailure(); ++seed)
    agrees(seed, &met);
  EXPECT_GT(met.racy, 200);
  EXPECT_GT(met.unordered, 200);
  EXPECT_GT(met.broken, 200);
  EXPECT_GT(met.reordered, 5);
}

}  // namespace
}  // namespace bohr::naive

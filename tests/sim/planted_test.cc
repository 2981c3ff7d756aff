// SPDX-License-Identifier: Apache-2.0
// The explorer on random programs with one planted mistake: it must find a witness and bisect it to
// a pair that the mistake left unordered, in at least 99 of 100 programs, and none in any repaired
// twin. Beside it stands how often the same programs go wrong by themselves.
#include "sim/planted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "explore/footprints.h"
#include "model/outputs.h"
#include "sim/support.h"

namespace bohr::gpu::sim {
namespace {

// Steps of both twins have the same numbers: only waits and calls of the allocator tell them apart.
struct Ordered {
  order::StepOrder order;
  explore::Footprints uses;
  bool racy(int32_t a, int32_t b) const {
    return !order.ordered(a, b) && uses.conflict_cell(a, b) >= 0;
  }
};

Ordered ordered(const Ran& ran) {
  auto order = order::step_order(ran.program, false);
  BOHR_CHECK(order.ok());
  auto uses = explore::Footprints::of(ran.program, order.value());
  BOHR_CHECK(uses.ok());
  return {std::move(order).value(), std::move(uses).value()};
}

// Whether some witness repeats, and names a pair that only the wrong twin races on.
bool blames_the_mistake(const Ran& right, const Ran& wrong, const Exploration& exploration) {
  const Ordered in_right = ordered(right), in_wrong = ordered(wrong);
  EXPECT_EQ(in_right.order.size(), in_wrong.order.size());
  for (const Witness& witness : exploration.witnesses) {
    const auto pair = schedule_of(in_wrong.order.steps, {witness.first.step, witness.second.step});
    if (in_wrong.racy(pair[0], pair[1]) && !in_right.racy(pair[0], pair[1]) &&
        witness.replays == 20 && witness.identical == 20)
      return true;
  }
  return false;
}

struct Natural {
  int64_t runs = 0;
  int64_t failures = 0;
  int64_t first = 0;  // the first run that failed, from 1; 0: none did
};

// Issue order is right in both twins, so it says what a run by itself should leave.
Natural by_itself(const Explored& run, const Options& machine, int64_t runs) {
  const auto replayer = replayer_of(run.ran, machine);
  BOHR_CHECK(replayer->learn().ok());
  std::vector<ByteRange> outputs;
  for (const OutputPiece& piece : outputs_of(run.ran.program)) outputs.push_back(piece.range);
  std::vector<int32_t> issued(replayer->steps().size());
  for (size_t i = 0; i < issued.size(); ++i) issued[i] = static_cast<int32_t>(i);
  replay::Request request;
  request.order = issued;
  BOHR_CHECK(replayer->run(request).ok());
  const auto right = replayer->digest(outputs).value();
  Natural natural;
  for (; natural.runs < runs; ++natural.runs) {
    BOHR_CHECK(replayer->run_unforced(static_cast<uint64_t>(natural.runs) + 1).ok());
    if (replayer->digest(outputs).value() == right) continue;
    ++natural.failures;
    if (natural.first == 0) natural.first = natural.runs + 1;
  }
  return natural;
}

struct Row {
  int programs = 0;
  int found = 0;
  int false_alarms = 0;
  int reordered = 0, none = 0;  // where reads that lost their writer leave issue order in doubt
  int never = 0;                // never failed by themselves
  std::vector<double> rates;    // natural, by program
  std::vector<double> firsts;   // runs to the first natural failure, of those that failed
  std::vector<double> replays;  // to the witness, of those that were found
  std::vector<double> blind;    // the same, where check told nothing
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Size {
  int programs = 0;  // of each kind of mistake, eager and captured
  size_t most_kernels = 0;
  int64_t own_runs = 0;
};

size_t kernels_of(const Size& size, int program) {
  const double share = size.programs > 1 ? static_cast<double>(program) / (size.programs - 1) : 0;
  return static_cast<size_t>(10 * std::pow(static_cast<double>(size.most_kernels) / 10, share));
}

void play(const Plan& plan, int64_t own_runs, Row* row) {
  const Planted twins = planted(plan);
  const Explored right = explored(twins.right.text(), twins.machine);
  const Explored wrong = explored(twins.wrong.text(), twins.machine);
  EXPECT_EQ(right.verdict.outcome, Outcome::clean) << "seed " << plan.seed;
  EXPECT_EQ(by_itself(right, twins.machine, std::min<int64_t>(own_runs, 20)).failures, 0)
      << "seed " << plan.seed;
  ++row->programs;
  row->reordered += wrong.exploration.baseline == BaselineKind::reordered;
  row->none += wrong.exploration.baseline == BaselineKind::none;
  row->false_alarms += !right.exploration.witnesses.empty();
  const bool found = blames_the_mistake(right.ran, wrong.ran, wrong.exploration);
  row->found += found;
  if (found) row->replays.push_back(static_cast<double>(wrong.replays_to_witness));
  if (!found) std::printf("not found: seed %ld, %zu kernels\n", plan.seed, plan.kernels);
  const Found blind = find(wrong.ran, twins.machine, Verdict());
  if (blames_the_mistake(right.ran, wrong.ran, blind.exploration))
    row->blind.push_back(static_cast<double>(blind.replays_to_witness));
  const Natural natural = by_itself(wrong, twins.machine, own_runs);
  row->rates.push_back(static_cast<double>(natural.failures) / static_cast<double>(natural.runs));
  row->never += natural.failures == 0;
  if (natural.first > 0) row->firsts.push_back(static_cast<double>(natural.first));
}

double most(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

void print(const std::string& name, const Row& row) {
  std::printf(
      "| %s | %d of %d | %zu | %d | %.1f %%, %.1f %% | %.0f %% | %.0f, %.0f | %.0f, %.0f | %.0f, "
      "%.0f |\n",
      name.c_str(), row.found, row.programs, row.blind.size(), row.false_alarms,
      100 * mean(row.rates), 100 * median(row.rates), 100.0 * row.never / row.programs,
      mean(row.firsts), most(row.firsts), mean(row.replays), most(row.replays), mean(row.blind),
      most(row.blind));
}

void all_kinds(const Size& size) {
  const char* kNames[] = {"missing wait", "missing join", "early reuse"};
  std::printf(
      "10 to %zu kernels, %ld runs by themselves\n"
      "| mistake | found | found blindly | false alarms | natural mean, median | never failed | "
      "runs to the first failure mean, max | replays to the witness mean, max | blindly |\n",
      size.most_kernels, size.own_runs);
  int programs = 0, found = 0, reordered = 0, none = 0;
  size_t blind = 0;
  for (const bool captured : {false, true}) {
    for (const Mistake mistake :
         {Mistake::missing_wait, Mistake::missing_join, Mistake::early_reuse}) {
      Row row;
      for (int i = 0; i < size.programs; ++i) {
        Plan plan;
        plan.seed = static_cast<uint64_t>(i + 1) * 10 + static_cast<uint64_t>(mistake);
        plan.kernels = kernels_of(size, i);
        plan.streams = 2 + static_cast<size_t>(i) % 7;
        plan.captured = captured;
        plan.mistake = mistake;
        play(plan, size.own_runs, &row);
      }
      const std::string name =
          std::string(kNames[static_cast<size_t>(mistake)]) + (captured ? ", captured" : ", eager");
      print(name, row);
      programs += row.programs;
      found += row.found;
      blind += row.blind.size();
      EXPECT_EQ(row.false_alarms, 0) << name;
      reordered += row.reordered;
      none += row.none;
    }
  }
  std::printf("%d of %d found; baseline: issue order %d, another %d, none %d\n", found, programs,
              programs - reordered - none, reordered, none);
  EXPECT_GE(100 * found, 99 * programs);
  EXPECT_GE(100 * blind, 99 * static_cast<size_t>(programs));
}

TEST(SimPlanted, MistakesAreFoundAndBisected) { all_kinds({5, 60, 50}); }

TEST(SimPlantedSlow, MistakesAreFoundAndBisectedInProgramsOfUpTo300Kernels) {
  all_kinds({17, 300, 200});
}

TEST(SimPlantedFull, MistakesAreFoundAndBisectedInProgramsOfUpTo2000Kernels) {
  all_kinds({50, 2000, 300});
}

}  // namespace
}  // namespace bohr::gpu::sim

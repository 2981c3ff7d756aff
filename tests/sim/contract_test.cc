// SPDX-License-Identifier: Apache-2.0
// What the simulated GPU promises, on random programs: the same seed is the same run; a program
// leaves the same bytes eager and captured, under every seed and in its own order; and its log
// gives one verdict, whether it is read as written or comes back out of SQLite.
#include <gtest/gtest.h>

#include "app/check_file.h"
#include "check/check.h"
#include "gpu/sim/serial.h"
#include "report/json.h"
#include "sim/planted.h"
#include "sim/support.h"
#include "trace/import.h"
#include "trace/log_reader.h"
#include "trace/sqlite_trace.h"

namespace bohr::gpu::sim {
namespace {

using Contents = std::vector<std::vector<uint32_t>>;

struct Played {
  Ran ran;
  std::vector<Words> buffers;
  Contents contents() const {
    Contents all;
    for (const Words& buffer : buffers) all.push_back(ran.words(buffer));
    return all;
  }
};

Played played(const Script& script, const Options& machine) {
  Played result;
  result.ran = run_program(script.text(&result.buffers), machine);
  return result;
}

Plan plan_of(uint64_t seed, bool captured) {
  Plan plan;
  plan.seed = seed;
  plan.kernels = 10 + 4 * seed % 90;
  plan.streams = 2 + seed % 7;
  plan.captured = captured;
  return plan;
}

std::vector<std::tuple<Item, int64_t, int64_t>> times(const std::vector<Span>& spans) {
  std::vector<std::tuple<Item, int64_t, int64_t>> result;
  for (const Span& span : spans) result.emplace_back(span.item, span.begin, span.end);
  return result;
}

TEST(SimContract, TheSameSeedIsTheSameRunOfRacyProgramsToo) {
  int other_timelines = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Planted twins = planted(plan_of(seed, seed % 2 == 0));
    const Played one = played(twins.wrong, twins.machine);
    const Played two = played(twins.wrong, twins.machine);
    EXPECT_EQ(one.contents(), two.contents());
    EXPECT_EQ(one.ran.log, two.ran.log);
    EXPECT_EQ(times(one.ran.sim->timeline().spans()), times(two.ran.sim->timeline().spans()));
    Options other = twins.machine;
    other.seed += 1000;
    other_timelines += times(played(twins.wrong, other).ran.sim->timeline().spans()) !=
                       times(one.ran.sim->timeline().spans());
  }
  EXPECT_EQ(other_timelines, 10);
}

TEST(SimContract, EagerAndCapturedLeaveTheSameBytesUnderEverySeed) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Plan eager = plan_of(seed, false), captured = plan_of(seed, true);
    const Played one = played(right_script(eager), machine_of(eager));
    const Played two = played(right_script(captured), machine_of(captured));
    EXPECT_EQ(one.contents(), two.contents()) << "seed " << seed;
    EXPECT_NE(one.contents()[0], one.contents()[1]);
    for (const Played* run : {&one, &two}) {
      const Contents right = run->contents();
      const Tape& tape = run->ran.sim->tape();
      Arena& arena = run->ran.sim->arena();
      ASSERT_TRUE(run_serial(tape, items_of(tape), 1, &arena).ok());
      EXPECT_EQ(run->contents(), right) << "in issue order, seed " << seed;
      for (uint64_t other = 100; other < 105; ++other) {
        ASSERT_TRUE(run_concurrent(tape, machine_of(eager).timing, other, &arena).ok());
        EXPECT_EQ(run->contents(), right) << "seed " << seed << " under " << other;
      }
    }
  }
}

// The whole report, so that labels, ranges and causes are compared as well.
std::string report_of(bohr::Program program) {
  program.source = "program";
  auto checked = app::check_program(std::move(program), "program", {});
  BOHR_CHECK(checked.ok());
  const std::vector<app::Checked> list = {std::move(checked).value()};
  return report::render_json(app::subjects_of(list), {});
}

TEST(SimContract, LogAndSqliteGiveOneVerdict) {
  int with_findings = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Plan plan = plan_of(seed, seed % 2 == 0);
    plan.mistake = static_cast<Mistake>(seed % 3);
    const Planted twins = planted(plan);
    for (const Script* script : {&twins.right, &twins.wrong}) {
      const Ran ran = run_program(script->text(), twins.machine);
      auto log = trace::read_log(ran.log, "log");
      ASSERT_TRUE(log.ok());
      auto database = trace::sqlite_in_memory({&log.value(), 1});
      ASSERT_TRUE(database.ok());
      auto back = trace::read_sqlite(database.value());
      ASSERT_TRUE(back.ok());
      ASSERT_EQ(back.value().size(), 1u);
      auto program = trace::import_log(back.value()[0]);
      ASSERT_TRUE(program.ok());
      EXPECT_EQ(report_of(std::move(program).value()), report_of(ran.program));
      with_findings += verdict_of(ran).outcome == Outcome::findings;
    }
  }
  EXPECT_EQ(with_findings, 12);
}

// What a program that still runs has written so far tells the same race as its whole log.
TEST(SimContract, TheLogOfARunningProgramTellsTheSameFindings) {
  const Planted twins = planted(plan_of(5, true));
  trace::TempFolder folder;
  Options options = twins.machine;
  options.log = folder.file("log");
  auto sim = Sim::create(options);
  ASSERT_TRUE(sim.ok());
  ASSERT_TRUE(twins.wrong.text()(*sim.value()).ok());
  const auto findings = [&] {
    auto log = trace::read_log(trace::file_bytes(options.log), "log");
    BOHR_CHECK(log.ok());
    auto program = trace::import_log(log.value());
    BOHR_CHECK(program.ok());
    auto verdict = check::check(program.value(), {});
    BOHR_CHECK(verdict.ok());
    return findings_of(verdict.value());
  };
  const auto while_running = findings();
  ASSERT_TRUE(sim.value()->finish().ok());
  EXPECT_FALSE(while_running.empty());
  EXPECT_EQ(while_running, findings());
}

}  // namespace
}  // namespace bohr::gpu::sim

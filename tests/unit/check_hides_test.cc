// SPDX-License-Identifier: Apache-2.0
// How far the sides of a mistake lay apart, and in which graphs of a program it is not.
#include <gtest/gtest.h>

#include "check/check.h"
#include "report/hides.h"
#include "report/json.h"
#include "trace/case_reader.h"

namespace bohr::check {
namespace {

enum class Layer { race, larger, joined, one_stream };

// One layer of a decode step, captured as `n`: names end in it, as names of a case are unique.
std::string layer(const std::string& n, Layer kind) {
  const bool side = kind != Layer::one_stream;
  const std::string idx = side ? "idx" : "main";
  const std::string fork = side ? "main: record f" + n + "\nidx: wait f" + n + "\n" : "";
  const std::string join = side ? "idx: record j" + n + "\nmain: wait j" + n + "\n" : "";
  const std::string over = kind == Layer::larger ? "" : " over logits" + n;
  const bool early = kind == Layer::joined;
  return "capture g" + n + " on main\nmain: alloc logits" + n +
         (kind == Layer::larger ? " 8K" : " 16K") + " pool p\nmain: kernel score" + n +
         " reads x writes logits" + n + "\n" + fork + idx + ": kernel select" + n +
         " reads logits" + n + " writes topk\n" + (early ? join : "") + "main: free logits" + n +
         "\nmain: alloc q" + n + " 16K pool p" + over + "\nmain: kernel project" + n +
         " reads x writes q" + n + "\n" + (early ? "" : join) + "main: free q" + n + "\nend g" + n +
         "\n";
}

// A program of several layers in which the layers' kernels and blocks bear the same names, as they
// do in a recording.
Program program_of(const std::string& text) {
  auto read = trace::read_case(
      "case 1\nstream main\nstream idx\npool p\nbuffer x 16K\nbuffer topk 4K\n" + text, "test");
  EXPECT_TRUE(read.ok()) << to_string(read.error());
  Program program = std::move(read).value();
  for (std::string& name : program.names) name.pop_back();
  for (Lifetime& lifetime : program.lifetimes) {
    if (lifetime.name.size() > 1 && lifetime.name != "topk") lifetime.name.pop_back();
  }
  return program;
}

Verdict verdict_of(const Program& program) { return check(program, {}).value(); }

const Cause& reuse_of(const Verdict& verdict) {
  return *std::ranges::find(verdict.causes, HazardClass::reuse, &Cause::cls);
}

std::string hides(const Program& program, const Verdict& verdict) {
  const report::Subject subject{"test", &program, &verdict};
  for (const report::Entry& entry : report::finding_entries({&subject, 1})) {
    if (entry.finding->cls == HazardClass::reuse) return report::why_it_hides({&subject, 1}, entry);
  }
  return "no reuse";
}

TEST(CheckHides, GraphsInWhichBlocksOrOrderDiffer) {
  const Program program = program_of(layer("1", Layer::race) + layer("2", Layer::race) +
                                     layer("3", Layer::larger) + layer("4", Layer::larger) +
                                     layer("5", Layer::joined) + layer("6", Layer::one_stream));
  const Verdict verdict = verdict_of(program);
  const Cause& cause = reuse_of(verdict);
  EXPECT_EQ(cause.graphs, 2);
  ASSERT_EQ(cause.not_in.size(), 3u);
  EXPECT_EQ(cause.not_in[0].absence.kind, AbsenceKind::sizes);
  EXPECT_EQ(cause.not_in[0].graphs, (std::vector<GraphId>{GraphId(2), GraphId(3)}));
  EXPECT_EQ(cause.not_in[1].absence.kind, AbsenceKind::edge);
  EXPECT_EQ(cause.not_in[2].absence.kind, AbsenceKind::one_stream);
  EXPECT_EQ(hides(program, verdict),
            "Not in graphs g3, g4: sizes differ, no bytes shared. Not in graph g5: ordered: edge "
            "select -> project. Not in graph g6: ordered: one stream.");
}

TEST(CheckHides, OneGraphOrOtherWorkSaysNothing) {
  const Program one = program_of(layer("1", Layer::race));
  EXPECT_EQ(hides(one, verdict_of(one)), "");
  const Program other = program_of(layer("1", Layer::race) +
                                   "capture g2 on main\nmain: kernel head2 reads x\nend g2\n");
  EXPECT_EQ(hides(other, verdict_of(other)), "");
}

// Launch k: select ends at `ends`, project begins at `begins`.
Program timed(const std::vector<std::pair<int64_t, int64_t>>& runs) {
  std::string text = layer("1", Layer::race);
  for (size_t i = 0; i < runs.size(); ++i) text += "main: launch g1\n";
  Program program = program_of(text);
  int32_t select = -1, project = -1;
  const std::vector<Op>& nodes = program.graphs[0].nodes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (label_of(program, nodes[i]) == "select") select = static_cast<int32_t>(i);
    if (label_of(program, nodes[i]) == "project") project = static_cast<int32_t>(i);
  }
  size_t run = 0;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    if (program.ops[i].kind != OpKind::launch) continue;
    const auto [ends, begins] = runs[run++];
    program.timings.push_back({OpId(i), NodeId(select), ends - 100, ends});
    program.timings.push_back({OpId(i), NodeId(project), begins, begins + 100});
  }
  std::ranges::sort(program.timings, {}, [](const Timing& t) { return std::pair(t.op, t.node); });
  return program;
}

TEST(CheckHides, SlackIsTheMedianOfAllRuns) {
  const Program program = timed({{1000, 42'000}, {50'000, 62'000}, {70'000, 111'500}});
  const Verdict verdict = verdict_of(program);
  const Slack& slack = reuse_of(verdict).slack;
  EXPECT_EQ(slack.samples, 3);
  EXPECT_EQ(slack.overlapped, 0);
  EXPECT_EQ(slack.least_ns, 12'000);
  EXPECT_EQ(slack.median_ns, 41'000);
  EXPECT_EQ(hides(program, verdict),
            "select normally ends 41 us before project begins (at least 12 us, in 3 timed runs).");
}

TEST(CheckHides, WhatWasSeenToOverlapIsSaid) {
  const Program program = timed({{1000, 42'000}, {50'000, 49'000}});
  const Verdict verdict = verdict_of(program);
  EXPECT_EQ(reuse_of(verdict).slack.overlapped, 1);
  EXPECT_EQ(hides(program, verdict),
            "It does not always: in 1 of 2 timed runs project began before select had ended.");
}

TEST(CheckHides, WithoutTimingsNothingIsSaid) {
  Program program = timed({{1000, 42'000}});
  program.timings.pop_back();  // one side alone
  const Verdict verdict = verdict_of(program);
  EXPECT_EQ(reuse_of(verdict).slack.samples, 0);
  EXPECT_EQ(hides(program, verdict), "");
}

TEST(CheckHides, InJson) {
  const Program program = timed({{1000, 42'000}});
  const Verdict verdict = verdict_of(program);
  const report::Subject subject{"test", &program, &verdict};
  const std::string json = report::render_json({&subject, 1}, {});
  EXPECT_NE(json.find("\"median_ns\": 41000"), std::string::npos) << json;
}

}  // namespace
}  // namespace bohr::check

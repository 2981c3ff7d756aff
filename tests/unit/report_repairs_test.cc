// SPDX-License-Identifier: Apache-2.0
// The words for what became of proposals, and whose they are where several programs have some.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/text.h"
#include "report_fixture.h"

namespace bohr {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Repair edge() {
  static const test::Sample sample = test::reuse_sample();
  const Finding& finding = sample.verdict.findings.front();
  Repair repair;
  repair.cause = 1, repair.verified = true;
  repair.parts.push_back({});
  repair.parts.back().first = "kv_store", repair.parts.back().second = "q_gemm";
  repair.parts.back().graph = finding.first.graph;
  repair.parts.back().from = finding.first.node.value();
  repair.parts.back().to = finding.second.node.value();
  return repair;
}

std::string text_of(const std::vector<Repairs>& repairs) {
  const test::Sample sample = test::reuse_sample();
  std::vector<report::Subject> subjects;
  for (size_t i = 0; i < repairs.size(); ++i) {
    subjects.push_back({"process " + std::to_string(i + 1), &sample.program, &sample.verdict});
    subjects.back().repairs = &repairs[i];
  }
  return report::render_text(subjects, {});
}

Repairs with(const Repair& repair) {
  Repairs repairs;
  repairs.proposals = {repair};
  repairs.complete = true;
  return repairs;
}

TEST(ReportRepairs, WhatIsVerifiedWasRun) {
  const std::string text = text_of({with(edge())});
  EXPECT_TRUE(has(text, "\n                 verified\n")) << text;
  EXPECT_TRUE(has(text, "verified = "));
  EXPECT_FALSE(has(text, "holds in the check"));
}

TEST(ReportRepairs, WhatWasNotRunHoldsInTheCheck) {
  Repair checked = edge();
  checked.by_check = true;
  const std::string text = text_of({with(checked)});
  EXPECT_TRUE(has(text, "\n                 holds in the check\n")) << text;
  EXPECT_TRUE(has(text, "holds in the check = "));
  EXPECT_FALSE(has(text, "verified = "));
}

TEST(ReportRepairs, GraphsInWhichNothingWasTriedAreCounted) {
  Repair some = edge();
  some.graphs_by_check = 1;
  EXPECT_TRUE(
      has(text_of({with(some)}), "verified where it was tried; in one more graph it holds"));
  some.graphs_by_check = 11;
  EXPECT_TRUE(has(text_of({with(some)}), "in 11 more graphs it holds"));
}

// What the words mean is told beside the sentence that they are not enough.
TEST(ReportRepairs, WordsAreExplainedWhereNotAllIsMended) {
  Repair copied = edge();
  copied.in_copy = true;
  Repairs repairs = with(copied);
  repairs.complete = false;
  const std::string text = text_of({repairs});
  EXPECT_TRUE(has(text, "No choice of these repairs together leaves nothing."));
  EXPECT_TRUE(has(text, "in a copy = "));
}

TEST(ReportRepairs, OfSeveralProgramsEachIsNamed) {
  EXPECT_FALSE(has(text_of({with(edge())}), "Repairs of"));
  const std::string text = text_of({with(edge()), Repairs(), with(edge())});
  EXPECT_TRUE(has(text, "Repairs of     process 1"));
  EXPECT_FALSE(has(text, "Repairs of     process 2"));
  EXPECT_TRUE(has(text, "Repairs of     process 3"));
}

}  // namespace
}  // namespace bohr

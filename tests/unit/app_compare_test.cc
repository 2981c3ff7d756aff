// SPDX-License-Identifier: Apache-2.0
// Which causes of which arms are one row, and what is said of the whole.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/compare.h"
#include "report_fixture.h"

namespace bohr::app {
namespace {

Checked checked(test::Sample sample, const std::string& name) {
  return {name, std::move(sample.program), std::move(sample.verdict)};
}

std::vector<CheckedArm> arms(std::vector<test::Sample> samples) {
  std::vector<CheckedArm> list;
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::string path = "arm" + std::to_string(i) + ".bohr";
    samples[i].program.diagnostics.clear();
    list.push_back({path, {}});
    list.back().processes.push_back(checked(std::move(samples[i]), path));
  }
  return list;
}

report::Comparison compared(std::vector<test::Sample> samples) {
  const std::vector<CheckedArm> list = arms(std::move(samples));
  Result<report::Comparison> result = compare(list, false);
  EXPECT_TRUE(result.ok());
  return result.ok() ? std::move(result).value() : report::Comparison();
}

// The same mistake as another program would record it: called from elsewhere.
test::Sample called_from_elsewhere() {
  test::Sample sample = test::reuse_sample();
  for (Stack& stack : sample.program.stacks) stack.frames.back().line = 12;
  sample.verdict.causes.front().site = "reuse-ffff";
  return sample;
}

TEST(AppCompare, NamesAreFileNamesWhereTheseDiffer) {
  EXPECT_EQ(arm_names({"a/bf16.bohr.zst", "fp8.case", "runs/eager/", "-"}),
            (std::vector<std::string>{"bf16", "fp8", "eager", "standard input"}));
  EXPECT_EQ(arm_names({"a/x.bohr", "b/x.bohr", "y.db"}),
            (std::vector<std::string>{"a/x.bohr", "b/x.bohr", "y"}));
}

TEST(AppCompare, OneSiteIsOneRow) {
  const report::Comparison comparison = compared({test::reuse_sample(), test::reuse_sample()});
  ASSERT_EQ(comparison.rows.size(), 1u);
  EXPECT_EQ(comparison.rows[0].title, "logits -> q");
  EXPECT_EQ(comparison.rows[0].cells[1].places, 1503);
  EXPECT_EQ(comparison.rows[0].cells[1].site, "");
  EXPECT_EQ(report::conclusion(comparison),
            "Every arm has it: what differs between them does not matter to it.");
}

TEST(AppCompare, OneMistakeFromTwoCallersIsOneRow) {
  const report::Comparison comparison = compared({test::reuse_sample(), called_from_elsewhere()});
  ASSERT_EQ(comparison.rows.size(), 1u);
  EXPECT_EQ(comparison.rows[0].cells[1].site, "reuse-ffff");
  EXPECT_EQ(comparison.rows[0].cells[1].state, report::CellState::found);
}

TEST(AppCompare, AnotherLineIsAnotherRow) {
  test::Sample other = called_from_elsewhere();
  other.program.stacks[0].frames[3].line = 500;
  const report::Comparison comparison = compared({test::reuse_sample(), std::move(other)});
  ASSERT_EQ(comparison.rows.size(), 2u);
  EXPECT_EQ(comparison.rows[0].cells[1].state, report::CellState::absent);
  EXPECT_EQ(comparison.rows[0].cells[1].absence.kind, AbsenceKind::not_reached);
  EXPECT_EQ(report::conclusion(comparison), "");
}

TEST(AppCompare, ACandidateIsUndecidedNotAbsent) {
  test::Sample other = called_from_elsewhere();
  other.verdict.candidates = std::move(other.verdict.findings);
  other.verdict.candidates[0].reasons = {"unknown-direction"};
  other.verdict.candidate_causes = std::move(other.verdict.causes);
  other.verdict.candidate_causes[0].candidate = true;
  other.verdict.findings.clear();
  other.verdict.causes.clear();
  const report::Comparison comparison = compared({test::reuse_sample(), std::move(other)});
  ASSERT_EQ(comparison.rows.size(), 1u);
  EXPECT_EQ(comparison.rows[0].cells[1].state, report::CellState::undecided);
  EXPECT_EQ(comparison.rows[0].cells[1].reasons, std::vector<std::string>{"unknown-direction"});
  EXPECT_EQ(report::conclusion(comparison), "Only arm0 has it.");
}

TEST(AppCompare, OfSeveralProcessesTheOneThatGotFurthestSpeaks) {
  std::vector<CheckedArm> list = arms({test::reuse_sample(), test::clean_sample()});
  test::Sample idle = test::clean_sample();
  idle.program.graphs.clear();
  idle.program.ops.clear();
  list[1].processes.push_back(checked(std::move(idle), "helper"));
  const Result<report::Comparison> result = compare(list, false);
  ASSERT_TRUE(result.ok());
  // The sample's nodes access nothing: they are there and share no bytes.
  EXPECT_EQ(result.value().rows[0].cells[1].absence.kind, AbsenceKind::not_shared);
  EXPECT_EQ(result.value().arms[1].processes, 2);
}

report::Comparison with(std::vector<AbsenceKind> kinds) {
  report::Comparison comparison;
  report::Row row{"reuse-7c1e", "logits -> q", HazardClass::reuse, {}};
  row.cells.push_back({.state = report::CellState::found, .places = 252});
  comparison.arms.push_back({.name = "bf16", .path = "bf16.bohr"});
  for (const AbsenceKind kind : kinds) {
    const std::string name = "arm" + std::to_string(comparison.arms.size());
    comparison.arms.push_back({.name = name, .path = name + ".bohr"});
    row.cells.push_back({.absence = {kind, "a.py:1", "b"}});
  }
  comparison.rows.push_back(row);
  return comparison;
}

TEST(AppCompare, TheConclusionGoesNoFurtherThanTheCells) {
  EXPECT_EQ(report::conclusion(
                with({AbsenceKind::no_block, AbsenceKind::side_unused, AbsenceKind::one_stream})),
            "Only bf16 has it: the arms change whether the block exists, not whether the order is "
            "right.");
  EXPECT_EQ(report::conclusion(with({AbsenceKind::edge, AbsenceKind::wait})),
            "Only bf16 has it: the others order the two.");
  EXPECT_EQ(report::conclusion(with({AbsenceKind::no_block, AbsenceKind::unknown})),
            "Only bf16 has it.");
  EXPECT_EQ(report::conclusion(with({AbsenceKind::no_block, AbsenceKind::wait})),
            "Only bf16 has it.");
  EXPECT_EQ(report::conclusion(with({AbsenceKind::unrecorded})), "Only bf16 has it.");
  EXPECT_EQ(report::conclusion(with({AbsenceKind::own_bytes})), "Only bf16 has it.");
}

TEST(AppCompare, WhatDiffersInProvenanceIsShownAndWhatDoesNotIsNot) {
  report::Comparison comparison = with({AbsenceKind::no_block});
  comparison.arms[0].provenance = {{"driver", "580.1"}, {"torch", "2.11.0"}};
  comparison.arms[1].provenance = {{"driver", "570.9"}, {"torch", "2.11.0"}, {"numpy", "2"}};
  const std::string text = report::render_comparison(comparison, {});
  EXPECT_NE(text.find("580.1"), std::string::npos) << text;
  EXPECT_NE(text.find("570.9"), std::string::npos) << text;
  EXPECT_NE(text.find("numpy"), std::string::npos) << text;
  EXPECT_EQ(text.find("torch"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(report::comparison_json(comparison));
  EXPECT_EQ(json["differs"], (nlohmann::json{"driver", "numpy"}));
}

TEST(AppCompare, EveryWidthIsKept) {
  const report::Comparison comparison =
      with({AbsenceKind::no_block, AbsenceKind::side_unused, AbsenceKind::edge});
  for (const int width : {40, 60, 80, 110}) {
    report::Style style;
    style.width = width;
    const std::string text = report::render_comparison(comparison, style);
    size_t begin = 0;
    for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      EXPECT_LE(report::columns(text.substr(begin, end - begin)), static_cast<size_t>(width))
          << text;
    }
    EXPECT_NE(text.find("252 places"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// The fields that scripts rely on.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report_fixture.h"

namespace bohr {
namespace {

using nlohmann::json;

json document(const test::Sample& sample, const report::JsonOptions& options = {}) {
  const report::Subject subject{"trace.bohr", &sample.program, &sample.verdict};
  return json::parse(report::render_json({&subject, 1}, options));
}

TEST(ReportJson, FieldsOfTheContract) {
  const json doc = document(test::reuse_sample());
  EXPECT_EQ(doc["schema"], "bohr.findings/1");
  EXPECT_EQ(doc["verdict"]["result"], "findings");
  EXPECT_EQ(doc["verdict"]["coverage"]["reuse"]["state"], "complete");
  EXPECT_EQ(doc["verdict"]["coverage"]["data"]["state"], "undecided");
  EXPECT_EQ(doc["verdict"]["coverage"]["data"]["count"], 4);
  EXPECT_EQ(doc["verdict"]["coverage"]["data"]["reasons"], json::array({"unknown-direction"}));
  EXPECT_EQ(doc["verdict"]["coverage"].size(), 7u);
  EXPECT_EQ(doc["verdict"]["assumptions"], json::array({"host-order-observed"}));
  const json& finding = doc["findings"][0];
  EXPECT_EQ(finding["hazard"], "WAR");
  EXPECT_EQ(finding["class"], "reuse");
  EXPECT_EQ(finding["cause"], doc["causes"][0]["id"]);
  EXPECT_EQ(finding["latent"], false);
  EXPECT_EQ(finding["suppressed"], false);
  EXPECT_EQ(finding["first"]["label"], "topk_transform");
  EXPECT_EQ(finding["first"]["stream"], "idx");
  EXPECT_EQ(finding["second"]["stream"], "main");
  EXPECT_EQ(finding["range"], json({{"name", "q"}, {"begin", 0}, {"end", 32768}}));
  EXPECT_EQ(doc["causes"][0]["site"], "reuse-7c1e");
  EXPECT_EQ(doc["causes"][0]["places"], 1503);
  EXPECT_TRUE(doc["witness"].is_null());
  EXPECT_EQ(doc["witnesses"], json::array());
  EXPECT_EQ(doc["fixes"], json::array());
  EXPECT_TRUE(doc["program_exit"].is_null());
}

TEST(ReportJson, CandidatesSayWhy) {
  const json doc = document(test::undecided_sample());
  EXPECT_EQ(doc["verdict"]["result"], "incomplete");
  ASSERT_EQ(doc["candidates"].size(), 2u);
  EXPECT_EQ(doc["candidates"][0]["reasons"], json::array({"unknown-direction"}));
  EXPECT_EQ(doc["candidates"][0]["site"], "data-0002");
  EXPECT_EQ(doc["candidates"][0]["cause"], doc["candidate_causes"][0]["id"]);
  EXPECT_EQ(doc["verdict"]["coverage"]["external"]["state"], "not-checked");
}

TEST(ReportJson, ProgramExit) {
  report::JsonOptions options;
  options.program_exit = report::ProgramExit{3, 0};
  EXPECT_EQ(document(test::clean_sample(), options)["program_exit"],
            json({{"code", 3}, {"signal", nullptr}}));
  options.program_exit = report::ProgramExit{0, 11};
  EXPECT_EQ(document(test::clean_sample(), options)["program_exit"],
            json({{"code", nullptr}, {"signal", 11}}));
}

TEST(ReportJson, SeveralSubjectsAreOneDocument) {
  const test::Sample one = test::reuse_sample();
  const test::Sample two = test::undecided_sample();
  const std::vector<report::Subject> subjects = {{"a", &two.program, &two.verdict},
                                                 {"b", &one.program, &one.verdict}};
  const json doc = json::parse(report::render_json(subjects, {}));
  EXPECT_EQ(doc["verdict"]["result"], "findings");
  EXPECT_EQ(doc["verdict"]["coverage"]["data"]["count"], 6);
  EXPECT_EQ(doc["verdict"]["coverage"]["external"]["state"], "not-checked");
  EXPECT_EQ(doc["findings"][0]["subject"], "b");
  EXPECT_EQ(doc["subjects"].size(), 2u);
}

TEST(ReportJson, EqualInputEqualBytes) {
  const test::Sample one = test::reuse_sample();
  const test::Sample two = test::reuse_sample();
  const report::Subject a{"t", &one.program, &one.verdict};
  const report::Subject b{"t", &two.program, &two.verdict};
  EXPECT_EQ(report::render_json({&a, 1}, {}), report::render_json({&b, 1}, {}));
}

TEST(ReportJson, BadTextIsStillADocument) {
  test::Sample sample = test::reuse_sample();
  sample.verdict.findings.front().first.label = "\xff\xfe\x01";
  EXPECT_TRUE(document(sample)["findings"][0]["first"]["label"].is_string());
}

}  // namespace
}  // namespace bohr

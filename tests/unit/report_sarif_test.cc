// SPDX-License-Identifier: Apache-2.0
// SARIF as GitHub's code scanning takes it. The schema is not at hand, so what that needs is
// checked one by one: the properties that it calls required, its limits, and what the standard
// demands of the objects that are used.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "report/sarif.h"
#include "report_fixture.h"

namespace bohr::report {
namespace {

using Json = nlohmann::json;

const std::set<std::string> kLevels = {"none", "note", "warning", "error"};

std::string required_text(const Json& message) {
  EXPECT_TRUE(message.contains("text")) << message;
  if (!message.contains("text")) return {};
  EXPECT_FALSE(message["text"].get<std::string>().empty());
  return message["text"];
}

void check_rule(const Json& rule) {
  EXPECT_FALSE(rule.at("id").get<std::string>().empty());
  EXPECT_LE(rule.at("name").get<std::string>().size(), 255u);
  EXPECT_LE(required_text(rule.at("shortDescription")).size(), 1024u);
  EXPECT_LE(required_text(rule.at("fullDescription")).size(), 1024u);
  required_text(rule.at("help"));
  EXPECT_TRUE(kLevels.count(rule.at("defaultConfiguration").at("level")));
  const Json& properties = rule.at("properties");
  EXPECT_LE(properties.at("tags").size(), 10u);  // 20 are taken, 10 are shown
  const std::set<std::string> tags = properties.at("tags");
  EXPECT_EQ(tags.size(), properties.at("tags").size()) << "tags are unique";
  EXPECT_TRUE((std::set<std::string>{"very-high", "high", "medium", "low"})
                  .count(properties.at("precision")));
  EXPECT_TRUE((std::set<std::string>{"error", "warning", "recommendation"})
                  .count(properties.at("problem.severity")));
}

void check_location(const Json& location) {
  const Json& physical = location.at("physicalLocation");
  const std::string uri = physical.at("artifactLocation").at("uri");
  EXPECT_FALSE(uri.empty());
  EXPECT_EQ(uri.find(' '), std::string::npos) << uri;
  EXPECT_FALSE(uri.front() == '/') << "neither relative nor a URI: " << uri;
  const Json& region = physical.at("region");
  for (const char* key : {"startLine", "startColumn", "endLine", "endColumn"})
    EXPECT_GE(region.at(key).get<int64_t>(), 1) << key;
  EXPECT_GE(region["endLine"], region["startLine"]);
  if (region["endLine"] == region["startLine"]) {
    EXPECT_GT(region["endColumn"], region["startColumn"]);
  }
}

void check_result(const Json& result, const Json& rules) {
  const size_t index = result.at("ruleIndex");
  ASSERT_LT(index, rules.size());
  EXPECT_EQ(rules[index]["id"], result.at("ruleId"));
  EXPECT_TRUE(kLevels.count(result.at("level")));
  required_text(result.at("message"));
  ASSERT_EQ(result.at("locations").size(), 1u);  // only the first one is used
  check_location(result["locations"][0]);
  EXPECT_FALSE(
      result.at("partialFingerprints").at("primaryLocationLineHash").get<std::string>().empty());
  const Json related = result.value("relatedLocations", Json::array());
  EXPECT_LE(related.size(), 99u);  // of 1,000 in all 100 are kept
  std::set<int64_t> ids;
  for (const Json& location : related) {
    check_location(location);
    required_text(location.at("message"));
    EXPECT_TRUE(ids.insert(location.at("id").get<int64_t>()).second) << "ids are unique";
  }
  for (const Json& suppression : result.value("suppressions", Json::array())) {
    EXPECT_TRUE((std::set<std::string>{"inSource", "external"}).count(suppression.at("kind")));
    EXPECT_TRUE((std::set<std::string>{"accepted", "underReview", "rejected"})
                    .count(suppression.at("status")));
  }
}

Json sarif(std::vector<Subject> subjects, bool candidates = false) {
  const std::string text =
      render_sarif(subjects, {.version = "1.2.3", .root = "/srv", .candidates = candidates});
  Json json = Json::parse(text);
  EXPECT_EQ(json.at("version"), "2.1.0");
  EXPECT_TRUE(json.contains("$schema"));
  EXPECT_EQ(json.at("runs").size(), 1u);  // 20 are taken
  const Json& run = json["runs"][0];
  const Json& driver = run.at("tool").at("driver");
  EXPECT_FALSE(driver.at("name").get<std::string>().empty());
  const Json& rules = driver.at("rules");
  std::set<std::string> ids;
  for (const Json& rule : rules) {
    check_rule(rule);
    EXPECT_TRUE(ids.insert(rule["id"].get<std::string>()).second);
  }
  EXPECT_LE(run.at("results").size(), 5000u);
  for (const Json& result : run["results"]) check_result(result, rules);
  return json;
}

Json results(const test::Sample& sample, bool candidates = false) {
  return sarif({{"trace.bohr", &sample.program, &sample.verdict}},
               candidates)["runs"][0]["results"];
}

std::string uri_of(const Json& location) {
  return location["physicalLocation"]["artifactLocation"]["uri"];
}

TEST(ReportSarif, ACauseIsAResultAtTheLineThatDropsTheBlock) {
  const Json list = results(test::reuse_sample());
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["ruleId"], "bohr/reuse");
  EXPECT_EQ(list[0]["level"], "error");
  EXPECT_EQ(uri_of(list[0]["locations"][0]), "models/indexer.py");
  EXPECT_EQ(list[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 412);
  EXPECT_EQ(list[0]["partialFingerprints"]["bohrSite/v1"], "reuse-7c1e");
  EXPECT_EQ(list[0]["properties"]["places"], 1503);
  const std::string message = list[0]["message"]["text"];
  EXPECT_NE(message.find("1,503 places"), std::string::npos) << message;
}

TEST(ReportSarif, TheOtherLinesAreRelated) {
  const Json related = results(test::reuse_sample())[0]["relatedLocations"];
  std::vector<std::string> said;
  for (const Json& one : related) {
    said.push_back(std::to_string(one["physicalLocation"]["region"]["startLine"].get<int>()) + " " +
                   one["message"]["text"].get<std::string>());
  }
  const std::vector<std::string> wanted = {
      "409 topk_transform still reads logits [32K, 64K)", "815 wq_b overwrites it as q [0, 32K)",
      "398 logits is allocated here", "412 logits is freed here", "815 q is allocated here"};
  EXPECT_EQ(said, wanted);
}

TEST(ReportSarif, OfARepairThatWasVerifiedEachLine) {
  const test::Sample sample = test::reuse_sample();
  RepairPart part{.kind = RepairKind::lifetime, .lifetime = LifetimeId(0)};
  part.first = "logits";
  Repairs repairs;
  repairs.proposals = {{.cause = 1, .kind = RepairKind::lifetime, .parts = {part}}};
  Subject subject{"trace.bohr", &sample.program, &sample.verdict};
  subject.repairs = &repairs;
  const auto repair_lines = [&] {
    int lines = 0;
    const Json document = sarif({subject});
    for (const Json& one : document["runs"][0]["results"][0]["relatedLocations"])
      lines += one["message"]["text"].get<std::string>().starts_with("Repair");
    return lines;
  };
  EXPECT_EQ(repair_lines(), 0);
  repairs.proposals[0].verified = true;
  EXPECT_EQ(repair_lines(), 2);
}

TEST(ReportSarif, PathsOutsideTheRootAreUris) {
  test::Sample sample = test::reuse_sample();
  for (Stack& stack : sample.program.stacks) stack.frames[3].file = "/home/a b/m#1.py";
  EXPECT_EQ(uri_of(results(sample)[0]["locations"][0]), "file:///home/a%20b/m%231.py");
  for (Stack& stack : sample.program.stacks) stack.frames[3].file = "./models/m.py";
  EXPECT_EQ(uri_of(results(sample)[0]["locations"][0]), "models/m.py");
  for (Stack& stack : sample.program.stacks) stack.frames[3].file = "/srvother/m.py";
  EXPECT_EQ(uri_of(results(sample)[0]["locations"][0]), "file:///srvother/m.py");
}

TEST(ReportSarif, CodeWithoutLinesStandsAtTheRecording) {
  test::Sample sample = test::reuse_sample();
  sample.program.stacks = std::vector<Stack>(4, Stack{{{"decode", "/opt/server", 0, false}}});
  const Json list = results(sample);
  EXPECT_EQ(uri_of(list[0]["locations"][0]), "trace.bohr");
  EXPECT_EQ(list[0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
            "decode (server)");
  sample.program.stacks = std::vector<Stack>(4);
  EXPECT_EQ(uri_of(results(sample)[0]["locations"][0]), "trace.bohr");
}

TEST(ReportSarif, WhatIsAcceptedCarriesItsReason) {
  test::Sample sample = test::reuse_sample();
  EXPECT_FALSE(results(sample)[0].contains("suppressions"));
  sample.verdict.suppressions = {{"class=data", "not this one", 0},
                                 {"site=reuse-7c1e", "fixed in 1.3", 2}};
  sample.verdict.causes[0].suppressed = true;
  for (Finding& finding : sample.verdict.findings)
    finding.suppressed = true, finding.suppression = 1;
  const Json list = results(sample);
  EXPECT_EQ(
      list[0]["suppressions"],
      (Json{{{"kind", "external"}, {"status", "accepted"}, {"justification", "fixed in 1.3"}}}));
}

TEST(ReportSarif, CandidatesAreNotesAndOnlyWhereAskedFor) {
  const test::Sample sample = test::undecided_sample();
  EXPECT_TRUE(results(sample).empty());
  const Json list = results(sample, true);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["level"], "note");
  EXPECT_EQ(list[0]["properties"]["undecided"], Json{"unknown-direction"});
}

TEST(ReportSarif, NothingFoundIsARunWithoutResults) {
  EXPECT_TRUE(results(test::clean_sample()).empty());
  EXPECT_TRUE(sarif({})["runs"][0]["results"].empty());
}

TEST(ReportSarif, MoreThanAreShownAreCounted) {
  test::Sample sample = test::reuse_sample();
  const Cause cause = sample.verdict.causes[0];
  for (int i = 0; i < 6000; ++i) {
    sample.verdict.causes.push_back(cause);
    sample.verdict.causes.back().site = "reuse-x" + std::to_string(i);
  }
  const Json run = sarif({{"trace.bohr", &sample.program, &sample.verdict}})["runs"][0];
  EXPECT_EQ(run["results"].size(), 5000u);
  const std::string note =
      run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
  EXPECT_NE(note.find("1,001 more"), std::string::npos) << note;
}

TEST(ReportSarif, ControlCharactersOfATraceStayInside) {
  test::Sample sample = test::reuse_sample();
  for (Finding& finding : sample.verdict.findings) finding.first.label = "k\033[31m\xff";
  const Json list = results(sample);
  EXPECT_EQ(list[0]["message"]["text"].get<std::string>().find('\033'), std::string::npos);
}

}  // namespace
}  // namespace bohr::report

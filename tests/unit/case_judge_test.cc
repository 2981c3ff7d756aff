// SPDX-License-Identifier: Apache-2.0
// Expectations against verdicts made by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/judge.h"

namespace bohr::check {
namespace {

Expectation hazard(std::string word, std::string first, std::string second, std::string on = "",
                   std::string cls = "") {
  return {ExpectKind::hazard,
          std::move(word),
          std::move(first),
          std::move(second),
          std::move(on),
          std::move(cls),
          7};
}

Expectation plain(ExpectKind kind, std::string word = "") {
  return {kind, std::move(word), "", "", "", "", 3};
}

Finding finding(Hazard kind, std::string first, std::string second, HazardClass cls) {
  Finding made;
  made.hazard = kind;
  made.kinds = static_cast<uint8_t>(1 << static_cast<int>(kind));
  made.cls = cls;
  made.first.label = std::move(first);
  made.second.label = std::move(second);
  made.range.name = "q";
  made.names = {"q", "view_of_q"};
  return made;
}

struct Outcomes {
  int64_t met;
  int64_t failed;
  int64_t open;
  bool operator==(const Outcomes&) const = default;
};

Outcomes outcomes(std::vector<Expectation> expectations, const Verdict& verdict) {
  Program program;
  program.expectations = std::move(expectations);
  const auto judgements = judge(program, verdict);
  return {count(judgements, Judged::met), count(judgements, Judged::failed),
          count(judgements, Judged::open)};
}

TEST(CaseJudge, MatchesByLabelsKindNameAndClass) {
  Finding found = finding(Hazard::raw, "a", "b@2", HazardClass::launch);
  found.kinds = 0b101;  // RAW and WAR
  EXPECT_TRUE(matches(hazard("RAW", "a", "b@2"), found));
  EXPECT_TRUE(matches(hazard("WAR", "a", "b@2", "q", "launch"), found));
  EXPECT_TRUE(matches(hazard("RAW", "a", "b@2", "view_of_q"), found));
  EXPECT_FALSE(matches(hazard("WAW", "a", "b@2"), found));
  EXPECT_FALSE(matches(hazard("RAW", "b@2", "a"), found));
  EXPECT_FALSE(matches(hazard("RAW", "a", "b"), found));
  EXPECT_FALSE(matches(hazard("RAW", "a", "b@2", "p"), found));
  EXPECT_FALSE(matches(hazard("RAW", "a", "b@2", "", "data"), found));
  EXPECT_FALSE(matches(plain(ExpectKind::others), found));
}

TEST(CaseJudge, LifetimeFindingsNameTheFreedBlock) {
  Finding found = finding(Hazard::war, "reader", "", HazardClass::lifetime);
  found.second.block = "blk";
  EXPECT_TRUE(matches(hazard("WAR", "reader", "blk", "", "lifetime"), found));
  EXPECT_FALSE(matches(hazard("WAR", "reader", "other", "", "lifetime"), found));
  EXPECT_EQ(describe(found), "WAR reader blk on q class lifetime");
}

TEST(CaseJudge, EachExpectationNeedsAFindingAndEachFindingAnExpectation) {
  Verdict verdict;
  verdict.findings = {finding(Hazard::raw, "a", "b", HazardClass::data),
                      finding(Hazard::raw, "a", "c", HazardClass::data)};
  EXPECT_EQ(outcomes({hazard("RAW", "a", "b")}, verdict), (Outcomes{1, 1, 0}));
  EXPECT_EQ(outcomes({hazard("RAW", "a", "b"), hazard("RAW", "a", "c")}, verdict),
            (Outcomes{2, 0, 0}));
  EXPECT_EQ(outcomes({hazard("RAW", "a", "b"), plain(ExpectKind::others)}, verdict),
            (Outcomes{2, 0, 0}));
  EXPECT_EQ(outcomes({hazard("RAW", "a", "d"), plain(ExpectKind::others)}, verdict),
            (Outcomes{1, 1, 0}));
  EXPECT_EQ(outcomes({}, verdict), (Outcomes{0, 2, 0}));
}

TEST(CaseJudge, CleanNeedsCompleteCoverage) {
  Verdict verdict;
  EXPECT_EQ(outcomes({plain(ExpectKind::clean)}, verdict), (Outcomes{1, 0, 0}));
  verdict.coverage[static_cast<size_t>(HazardClass::data)].state = CoverageState::undecided;
  EXPECT_EQ(outcomes({plain(ExpectKind::clean)}, verdict), (Outcomes{0, 1, 0}));
  verdict = {};
  verdict.findings = {finding(Hazard::raw, "a", "b", HazardClass::data)};
  EXPECT_EQ(outcomes({plain(ExpectKind::clean)}, verdict), (Outcomes{0, 2, 0}));
}

TEST(CaseJudge, IncompleteNeedsItsReason) {
  Verdict verdict;
  const auto expect = [] { return plain(ExpectKind::incomplete, "unknown-access"); };
  EXPECT_EQ(outcomes({expect()}, verdict), (Outcomes{0, 1, 0}));
  Coverage& data = verdict.coverage[0];
  data = {CoverageState::not_checked, 0, 0, {"lost-records", "unknown-access"}};
  EXPECT_EQ(outcomes({expect()}, verdict), (Outcomes{1, 0, 0}));
  data.reasons = {"lost-records"};
  EXPECT_EQ(outcomes({expect()}, verdict), (Outcomes{0, 1, 0}));
  data.reasons = {"unknown-access"};
  data.state = CoverageState::complete;
  EXPECT_EQ(outcomes({expect()}, verdict), (Outcomes{0, 1, 0}));
}

TEST(CaseJudge, WitnessesAndFixesStayOpen) {
  EXPECT_EQ(outcomes({plain(ExpectKind::witness),
                      plain(ExpectKind::no_witness),
                      {ExpectKind::fix_edge, "", "a", "b", "", "", 1},
                      {ExpectKind::fix_lifetime, "", "blk", "", "", "", 2}},
                     Verdict()),
            (Outcomes{0, 0, 4}));
}

TEST(CaseJudge, SaysWhatItFoundInstead) {
  Verdict verdict;
  verdict.findings = {finding(Hazard::war, "a", "b", HazardClass::data)};
  Program program;
  program.expectations = {hazard("RAW", "a", "b", "q", "reuse")};
  const auto judgements = judge(program, verdict);
  ASSERT_EQ(judgements.size(), 2u);
  EXPECT_EQ(judgements[0].line, 7);
  EXPECT_EQ(judgements[0].sentence,
            "hazard RAW a b on q class reuse: found WAR a b on q class data");
  EXPECT_EQ(judgements[1].line, 0);
  EXPECT_EQ(judgements[1].sentence, "nobody expected WAR a b on q class data");
}

}  // namespace
}  // namespace bohr::check

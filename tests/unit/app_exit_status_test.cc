// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/check_file.h"
#include "app/exit_status.h"
#include "app/run.h"

namespace bohr::app {
namespace {

Verdict with_finding(bool latent, bool suppressed) {
  Verdict verdict;
  Finding finding;
  finding.latent = latent;
  finding.suppressed = suppressed;
  verdict.findings = {finding};
  verdict.outcome = suppressed ? Outcome::clean : Outcome::findings;
  return verdict;
}

TEST(AppExitStatus, Precedence) {
  const std::vector<ExitStatus> rising = {ExitStatus::clean, ExitStatus::incomplete,
                                          ExitStatus::program_failed, ExitStatus::findings,
                                          ExitStatus::unusable};
  for (size_t low = 0; low < rising.size(); ++low) {
    for (size_t high = low; high < rising.size(); ++high) {
      EXPECT_EQ(worst(rising[low], rising[high]), rising[high]);
      EXPECT_EQ(worst(rising[high], rising[low]), rising[high]);
    }
  }
}

TEST(AppExitStatus, OfVerdicts) {
  EXPECT_EQ(status_of(Verdict(), {}), ExitStatus::clean);
  EXPECT_EQ(status_of(with_finding(false, false), {}), ExitStatus::findings);
  EXPECT_EQ(status_of(with_finding(true, false), {}), ExitStatus::incomplete);
  EXPECT_EQ(status_of(with_finding(false, true), {}), ExitStatus::clean);
}

TEST(AppExitStatus, OnlyRequiredClassesMustBeComplete) {
  Verdict verdict;
  verdict.outcome = Outcome::incomplete;
  verdict.coverage[static_cast<size_t>(HazardClass::data)].state = CoverageState::undecided;
  EXPECT_EQ(status_of(verdict, {}), ExitStatus::incomplete);
  EXPECT_EQ(status_of(verdict, {HazardClass::data}), ExitStatus::incomplete);
  EXPECT_EQ(status_of(verdict, {HazardClass::reuse, HazardClass::pool}), ExitStatus::clean);
}

TEST(AppExitStatus, AFindingOfAnyClassCounts) {
  Verdict verdict = with_finding(false, false);
  verdict.findings.front().cls = HazardClass::data;
  EXPECT_EQ(status_of(verdict, {HazardClass::pool}), ExitStatus::findings);
}

RunOutcome ended(Verdict verdict, GuestEnd end) {
  RunOutcome outcome;
  outcome.processes.push_back({{{"p", {}, std::move(verdict)}, {}, {}, 0}, {}, {}});
  outcome.end = end;
  return outcome;
}

TEST(AppExitStatus, OfRuns) {
  EXPECT_EQ(status_of(ended({}, {.code = 0}), {}), ExitStatus::clean);
  EXPECT_EQ(status_of(ended({}, {.code = 3}), {}), ExitStatus::program_failed);
  EXPECT_EQ(status_of(ended({}, {.signal = 11}), {}), ExitStatus::program_failed);
  EXPECT_EQ(status_of(ended(with_finding(false, false), {.code = 3}), {}), ExitStatus::findings);
  EXPECT_EQ(status_of(ended(with_finding(true, false), {.code = 3}), {}),
            ExitStatus::program_failed);
}

TEST(AppExitStatus, AProgramThatWasStoppedDidNotFailByItself) {
  EXPECT_EQ(status_of(ended({}, {.code = 130, .passed_on = 2}), {}), ExitStatus::clean);
  EXPECT_EQ(status_of(ended({}, {.signal = 15, .passed_on = 15}), {}), ExitStatus::clean);
}

TEST(AppClasses, Parsed) {
  const auto two = parse_classes("reuse,pool");
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(two.value(), (std::vector<HazardClass>{HazardClass::reuse, HazardClass::pool}));
  EXPECT_TRUE(parse_classes("").value().empty());
  EXPECT_EQ(parse_classes("reuse,fish").error().code, "class-unknown");
  EXPECT_EQ(parse_classes("reuse,,pool").error().code, "class-unknown");
}

TEST(AppNotChecked, SaysNothingIsCovered) {
  const Checked checked = not_checked("pid 7", "not-recorded", "no CUPTI");
  EXPECT_EQ(status_of(checked.verdict, {HazardClass::reuse}), ExitStatus::incomplete);
  EXPECT_EQ(checked.verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(checked.program.diagnostics.front().text, "no CUPTI");
}

}  // namespace
}  // namespace bohr::app

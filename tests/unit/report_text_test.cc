// SPDX-License-Identifier: Apache-2.0
// What a report must keep whatever its wording: counts, columns, honesty of the result line.
#include <gtest/gtest.h>

#include <sstream>

#include "report/text.h"
#include "report_fixture.h"

namespace bohr {
namespace {

using report::TextOptions;

std::string text_of(const test::Sample& sample, const TextOptions& options = {}) {
  const report::Subject subject{"trace.bohr", &sample.program, &sample.verdict};
  return report::render_text({&subject, 1}, options);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ReportText, FitsItsWidth) {
  for (const int width : {60, 80, 100}) {
    TextOptions options;
    options.style.width = width;
    for (const test::Sample& sample : {test::reuse_sample(), test::undecided_sample()}) {
      std::stringstream lines(text_of(sample, options));
      for (std::string line; std::getline(lines, line);) {
        if (has(line, "bohr ") || has(line, "--require")) continue;  // commands are never broken
        EXPECT_LE(report::columns(line), static_cast<size_t>(width)) << line;
      }
    }
  }
}

TEST(ReportText, NeverSaysCleanWhenAClassIsOpen) {
  test::Sample sample = test::clean_sample();
  EXPECT_TRUE(has(text_of(sample), "\nCLEAN: "));
  for (Coverage& coverage : sample.verdict.coverage) {
    coverage.state = CoverageState::not_checked;
    EXPECT_FALSE(has(text_of(sample), "\nCLEAN: ")) << text_of(sample);
    coverage.state = CoverageState::complete;
  }
}

TEST(ReportText, SaysWhichClassesWereRequired) {
  test::Sample sample = test::undecided_sample();
  TextOptions options;
  options.require = {HazardClass::reuse, HazardClass::pool};
  const std::string text = text_of(sample, options);
  EXPECT_TRUE(has(text, "The required kinds (reuse, pool) were fully checked")) << text;
  EXPECT_FALSE(has(text, "CLEAN")) << text;
}

TEST(ReportText, OneEntryPerCauseAndAtMostSoMany) {
  test::Sample sample = test::reuse_sample();
  const Cause cause = sample.verdict.causes.front();
  for (int i = 2; i <= 12; ++i) {
    sample.verdict.causes.push_back(cause);
    sample.verdict.causes.back().id = i;
    sample.verdict.causes.back().site = "reuse-" + std::to_string(i);
  }
  const std::string text = text_of(sample);
  EXPECT_TRUE(has(text, "RACE 10 of 12"));
  EXPECT_FALSE(has(text, "RACE 11 of 12"));
  EXPECT_TRUE(has(text, "2 more: --all"));
  TextOptions all;
  all.most = -1;
  EXPECT_TRUE(has(text_of(sample, all), "RACE 12 of 12"));
}

TEST(ReportText, EqualSitesOfTwoProcessesAreOneEntry) {
  const test::Sample one = test::reuse_sample();
  const test::Sample two = test::reuse_sample();
  const std::vector<report::Subject> subjects = {{"pid 1", &one.program, &one.verdict},
                                                 {"pid 2", &two.program, &two.verdict}};
  const std::string text = report::render_text(subjects, {});
  EXPECT_TRUE(has(text, "RACE 1 of 1"));
  EXPECT_TRUE(has(text, "3,006 places in 24 graphs of 2 processes")) << text;
}

TEST(ReportText, SuppressedCausesAreCountedAndNotShown) {
  test::Sample sample = test::reuse_sample();
  sample.verdict.causes.front().suppressed = true;
  sample.verdict.suppressions = {{"site=reuse-7c1e", "known, JIRA-7", 2},
                                 {"site=reuse-none", "gone", 0}};
  const std::string text = text_of(sample);
  EXPECT_FALSE(has(text, "RACE 1"));
  EXPECT_TRUE(has(text, "1 cause"));
  EXPECT_TRUE(has(text, "known, JIRA-7"));
  EXPECT_TRUE(has(text, "Unused rule    site=reuse-none")) << text;
}

TEST(ReportText, LatentIsNoRace) {
  test::Sample sample = test::reuse_sample();
  sample.verdict.causes.front().latent = true;
  const std::string text = text_of(sample);
  EXPECT_FALSE(has(text, "RACE FOUND")) << text;
  EXPECT_TRUE(has(text, "LATENT 1 of 1"));
}

TEST(ReportText, ColourOnlyWhenAskedFor) {
  EXPECT_FALSE(has(text_of(test::reuse_sample()), "\033"));
  TextOptions options;
  options.style.colour = true;
  EXPECT_TRUE(has(text_of(test::reuse_sample(), options), "\033[1;31mRACE FOUND"));
}

TEST(ReportText, NamesFromATraceCannotSendControlCodes) {
  test::Sample sample = test::reuse_sample();
  sample.verdict.findings.front().first.label = "evil\033[2Jname\n";
  const std::string text = text_of(sample);
  EXPECT_FALSE(has(text, "\033"));
  EXPECT_TRUE(has(text, "evil?[2Jname?")) << text;
}

TEST(ReportText, UnknownSiteGivesNothing) {
  const test::Sample sample = test::reuse_sample();
  const report::Subject subject{"trace.bohr", &sample.program, &sample.verdict};
  EXPECT_EQ(report::render_entry({&subject, 1}, "reuse-0000", {}), "");
}

TEST(ReportText, UndecidedMostSuspiciousFirst) {
  const std::string text = text_of(test::undecided_sample());
  const size_t more = text.find("data-0002"), less = text.find("data-0001");
  ASSERT_NE(more, std::string::npos);
  ASSERT_NE(less, std::string::npos);
  EXPECT_LT(more, less);
}

}  // namespace
}  // namespace bohr

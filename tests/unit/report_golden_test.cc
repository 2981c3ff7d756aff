// SPDX-License-Identifier: Apache-2.0
// Reports compared with tests/golden, so that a change of wording is seen in a diff. To accept
// changes: BOHR_UPDATE_GOLDEN=1 ./bohr_unit_tests --gtest_filter='ReportGolden.*', then read them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "report/json.h"
#include "report/listing.h"
#include "report/text.h"
#include "report_fixture.h"

namespace bohr {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(BOHR_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("BOHR_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream wanted;
  wanted << file.rdbuf();
  EXPECT_EQ(text, wanted.str()) << path;
}

std::string text_of(const test::Sample& sample, int width) {
  const report::Subject subject{"trace.bohr", &sample.program, &sample.verdict};
  report::TextOptions options;
  options.style.width = width;
  options.target = "trace.bohr";
  return report::render_text({&subject, 1}, options);
}

TEST(ReportGolden, Reuse) { expect_golden("reuse.txt", text_of(test::reuse_sample(), 80)); }
TEST(ReportGolden, ReuseNarrow) {
  expect_golden("reuse-60.txt", text_of(test::reuse_sample(), 60));
}
TEST(ReportGolden, Clean) { expect_golden("clean.txt", text_of(test::clean_sample(), 80)); }
TEST(ReportGolden, Undecided) {
  expect_golden("undecided.txt", text_of(test::undecided_sample(), 80));
}

TEST(ReportGolden, OneEntryInFull) {
  const test::Sample sample = test::reuse_sample();
  const report::Subject subject{"trace.bohr", &sample.program, &sample.verdict};
  expect_golden("reuse-entry.txt", report::render_entry({&subject, 1}, "reuse-7c1e", {}));
}

TEST(ReportGolden, Json) {
  const test::Sample sample = test::reuse_sample();
  const report::Subject subject{"trace.bohr", &sample.program, &sample.verdict};
  expect_golden("reuse.json", report::render_json({&subject, 1}, {}));
}

TEST(ReportGolden, Listing) {
  const test::Sample sample = test::reuse_sample();
  const report::Subject subject{"trace.bohr", &sample.program, &sample.verdict};
  expect_golden("listing.txt", report::render_summary({&subject, 1}, {}));
}

}  // namespace
}  // namespace bohr

// SPDX-License-Identifier: Apache-2.0
// A recording in which many pairs are open: how many are listed, and in which order.
#include <gtest/gtest.h>

#include "check/check.h"
#include "log_builder.h"
#include "report/json.h"
#include "report/text.h"
#include "trace/import.h"

namespace bohr {
namespace {

constexpr uint64_t kFirst = 0x7f0000000000;
constexpr uint64_t kStep = 0x100000;

struct Checked {
  Program program;
  Verdict verdict;
};

std::string mangled(const std::string& name, const char* parameters) {
  return "_Z" + std::to_string(name.size()) + name + parameters;
}

// `pairs` times two kernels on two streams that are handed the same block: who writes is open.
// Of each third pair one side is known to read. The last pair comes thrice.
Checked many(int pairs) {
  trace::LogBuilder b;
  const uint32_t s = b.stream(), t = b.stream();
  for (int i = 0; i < pairs; ++i) {
    const uint64_t address = kFirst + static_cast<uint64_t>(i) * kStep;
    const std::string number = std::to_string(100 + i);
    const bool reads = i % 3 == 2;
    const uint32_t first = b.function(mangled("first" + number, "Pf"), {8});
    const uint32_t second = b.function(mangled("other" + number, reads ? "PKf" : "Pf"), {8});
    const uint32_t begin = b.function(mangled("begin" + number, "Pf"), {8});
    b.mem_alloc(address, 4096);
    b.kernel(s, begin, {address});
    b.event_record(1 + static_cast<uint32_t>(i), 1, s);
    b.event_wait(1 + static_cast<uint32_t>(i), 1, t);
    for (int times = 0; times < (i + 1 == pairs ? 3 : 1); ++times) b.kernel(s, first, {address});
    b.kernel(t, second, {address});
  }
  Checked checked;
  checked.program = trace::import_log(b.log).value();
  checked.verdict = check::check(checked.program, {}).value();
  return checked;
}

std::string text_of(const Checked& checked, const report::TextOptions& options = {}) {
  const report::Subject subject{"many.bohr", &checked.program, &checked.verdict};
  return report::render_text({&subject, 1}, options);
}

int64_t listed(const std::string& text) {
  int64_t count = 0;
  for (size_t at = 0; (at = text.find("  id data-", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(ReportCandidates, TenAreListedAndTheOthersCounted) {
  const Checked checked = many(31);
  ASSERT_TRUE(checked.verdict.findings.empty());
  const std::string text = text_of(checked);
  EXPECT_EQ(listed(text), 10) << text;
  EXPECT_NE(text.find("21 more: --undecided"), std::string::npos) << text;
  EXPECT_EQ(listed(text_of(checked, {.undecided = true})), 31);
  EXPECT_EQ(listed(text_of(checked, {.most_undecided = -1})), 31);
  EXPECT_EQ(text_of(many(10)).find("more: --undecided"), std::string::npos);
}

TEST(ReportCandidates, AKnownReaderIsMoreSuspiciousAndThenThePlacesCount) {
  const std::string text = text_of(many(7));
  const size_t reader = text.find("other102");
  const size_t often = text.find("other106");
  const size_t plain = text.find("other100");
  ASSERT_NE(reader, std::string::npos);
  ASSERT_NE(often, std::string::npos) << text;
  EXPECT_LT(reader, often);
  EXPECT_LT(often, plain) << text;
}

TEST(ReportCandidates, WhatIsAcceptedIsNotCounted) {
  Checked checked = many(12);
  check::suppress(checked.program, {{"first=first10*", "measured", 0}}, &checked.verdict);
  const std::string text = text_of(checked);
  EXPECT_EQ(listed(text), 2) << text;
  EXPECT_EQ(text.find("more: --undecided"), std::string::npos) << text;
}

TEST(ReportCandidates, ASiteIsAsSuspiciousAsItsMostSuspiciousPlace) {
  Checked checked = many(4);
  ASSERT_EQ(checked.verdict.candidate_causes.back().findings.size(), 3u);
  // The last place of the last site.
  const int32_t last = checked.verdict.candidate_causes.back().findings.back();
  checked.verdict.candidates[static_cast<size_t>(last)].suspicion = 9;
  const std::string text = text_of(checked);
  EXPECT_LT(text.find("other103"), text.find("other102")) << text;
}

}  // namespace
}  // namespace bohr

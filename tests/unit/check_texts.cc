// SPDX-License-Identifier: Apache-2.0
#include "check_texts.h"

#include <gtest/gtest.h>

#include "trace/case_reader.h"

namespace bohr::test {

std::string told(const Finding& finding) {
  return std::string(to_string(finding.hazard)) + " " + finding.first.label + " " +
         finding.second.label + " " + to_string(finding.cls);
}

Verdict verdict_of(const std::string& case_text) {
  auto program = trace::read_case("case 1\n" + case_text, "test");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program.ok()) return {};
  auto verdict = check::check(program.value(), {});
  EXPECT_TRUE(verdict.ok()) << to_string(verdict.error());
  return verdict.ok() ? std::move(verdict).value() : Verdict{};
}

std::vector<std::string> findings_of(const std::string& case_text) {
  std::vector<std::string> result;
  for (const Finding& finding : verdict_of(case_text).findings) result.push_back(told(finding));
  return result;
}

}  // namespace bohr::test

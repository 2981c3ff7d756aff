// SPDX-License-Identifier: Apache-2.0
// The cases that must be refused: line 2 is a comment that starts with the error's code.
#include <gtest/gtest.h>

#include <string>

#include "case_files.h"
#include "trace/case_reader.h"

namespace bohr {
namespace {

std::string expected_code(const std::string& text) {
  const size_t begin = text.find("\n# ");
  if (begin == std::string::npos) return "";
  return text.substr(begin + 3, text.find(':', begin) - begin - 3);
}

class BadCase : public testing::TestWithParam<std::string> {};

TEST_P(BadCase, IsRefused) {
  const std::string text = case_text(GetParam());
  const auto program = trace::read_case(text, GetParam());
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().code, expected_code(text)) << to_string(program.error());
}

INSTANTIATE_TEST_SUITE_P(Corpus, BadCase, testing::ValuesIn(case_files({".bad.case"})),
                         case_test_name);

}  // namespace
}  // namespace bohr

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/suppressions.h"

namespace bohr::app {
namespace {

TEST(SuppressParse, RulesCommentsAndBlankLines) {
  const auto rules = parse_suppressions(
      "# accepted in 2031\n\n"
      "site=reuse-7c1e  # padded rows, never read\r\n"
      "class=data first=rope* block=kv_l0*\t# same values\n",
      "f");
  ASSERT_TRUE(rules.ok()) << to_string(rules.error());
  ASSERT_EQ(rules.value().size(), 2u);
  EXPECT_EQ(rules.value()[0].match, "site=reuse-7c1e");
  EXPECT_EQ(rules.value()[0].reason, "padded rows, never read");
  EXPECT_EQ(rules.value()[1].match, "class=data first=rope* block=kv_l0*");
  EXPECT_EQ(rules.value()[1].reason, "same values");
}

TEST(SuppressParse, AHashInsideANameBeginsNoReason) {
  const auto rules = parse_suppressions("first=gemm#47  # because", "f");
  ASSERT_TRUE(rules.ok());
  EXPECT_EQ(rules.value()[0].match, "first=gemm#47");
}

TEST(SuppressParse, NothingInNothingOut) {
  const auto rules = parse_suppressions("", "f");
  ASSERT_TRUE(rules.ok());
  EXPECT_TRUE(rules.value().empty());
}

void expect_refused(std::string_view text, const std::string& code, const std::string& where) {
  const auto rules = parse_suppressions(text, "f");
  ASSERT_FALSE(rules.ok()) << text;
  EXPECT_EQ(rules.error().code, code) << text;
  EXPECT_EQ(rules.error().where, where) << text;
}

TEST(SuppressParse, RefusesWhatIsNoRule) {
  expect_refused("site=reuse-7c1e", "suppress-reason", "f, line 1");
  expect_refused("\nsite=reuse-7c1e #  ", "suppress-reason", "f, line 2");
  expect_refused("reuse-7c1e  # why", "suppress-syntax", "f, line 1");
  expect_refused("site=  # why", "suppress-syntax", "f, line 1");
  expect_refused("address=0x10  # why", "suppress-syntax", "f, line 1");
  expect_refused("site=a class=datum  # why", "suppress-syntax", "f, line 1");
}

}  // namespace
}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// A recording of many launches is repaired in one launch of each graph with a finding, and says so;
// what is proposed is what a short recording of the same program gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/fix_file.h"
#include "explore_texts.h"

namespace bohr::test {
namespace {

constexpr int kFiller = 1500;

// A block that is given back too early and handed out again, behind many kernels that race with
// nothing.
std::string program_text(int launches) {
  std::string text = R"(stream main
stream side
pool g
buffer in 64
buffer out 64
buffer last 64
capture step on main
)";
  for (int i = 0; i < kFiller; ++i)
    text += "main: kernel f" + std::to_string(i) + " reads in, last writes last\n";
  text += R"(main: alloc t 64 pool g
main: kernel produce reads in writes t
main: record made
side: wait made
side: kernel consume reads t writes out
main: free t
main: alloc u 64 pool g over t
main: kernel overwrite reads in writes u
side: record done
main: wait done
main: kernel finish reads u, out writes last
main: free u
end step
)";
  for (int i = 0; i < launches; ++i) text += "main: launch step\n";
  return text;
}

app::Fixed fixed(int launches) {
  auto checked = app::check_program(program_of(program_text(launches)), "long", {});
  BOHR_CHECK(checked.ok());
  std::vector<app::Explored> explored;
  explored.push_back({std::move(checked).value(), std::nullopt, std::nullopt, 0});
  return std::move(app::fix_all(std::move(explored), {}, {}).front());
}

bool says(const app::Fixed& fixed, const std::string& reason) {
  const auto& reasons = fixed.repairs->reasons;
  return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
}

TEST(FixLong, ALongRecordingGetsTheRepairsOfAShortOne) {
  const app::Fixed few = fixed(2), many = fixed(250);
  ASSERT_TRUE(few.repairs && many.repairs);
  EXPECT_FALSE(few.narrowed);
  ASSERT_TRUE(many.narrowed);
  EXPECT_FALSE(says(few, "fix-some-launches"));
  EXPECT_TRUE(says(many, "fix-some-launches"));
  ASSERT_EQ(few.repairs->proposals.size(), many.repairs->proposals.size());
  for (size_t i = 0; i < few.repairs->proposals.size(); ++i) {
    const Repair &a = few.repairs->proposals[i], &b = many.repairs->proposals[i];
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.parts, b.parts);
    EXPECT_EQ(a.verified, b.verified);
    EXPECT_EQ(a.cause, b.cause);
  }
  const std::vector<Cause>& causes = many.explored.checked.verdict.causes;
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(many.repairs->proposals.front().cause, causes.front().id);
}

}  // namespace
}  // namespace bohr::test

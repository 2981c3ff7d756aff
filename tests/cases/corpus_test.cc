// SPDX-License-Identifier: Apache-2.0
// Reads, checks and judges every case of the corpus. Expectations that a check cannot judge
// (witnesses and fixes) are counted and said at the end.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "case_files.h"
#include "check/check.h"
#include "check/judge.h"
#include "trace/case_reader.h"

namespace bohr {
namespace {

int64_t open_expectations = 0;

class SayWhatIsOpen : public testing::Environment {
 public:
  void TearDown() override {
    std::printf("%lld expectations were not judged: witnesses and fixes\n",
                static_cast<long long>(open_expectations));
  }
};
[[maybe_unused]] const testing::Environment* const kSayWhatIsOpen =
    testing::AddGlobalTestEnvironment(new SayWhatIsOpen);

std::string failures(const std::vector<Judgement>& judgements) {
  std::string text;
  for (const Judgement& judgement : judgements) {
    if (judgement.state != Judged::failed) continue;
    const std::string where =
        judgement.line > 0 ? "line " + std::to_string(judgement.line) + ": " : "";
    text += "  " + where + judgement.sentence + "\n";
  }
  return text;
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, GetsItsVerdict) {
  const std::string text = case_text(GetParam());
  const auto program = trace::read_case(text, GetParam());
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  ASSERT_FALSE(program.value().expectations.empty()) << "a case of the corpus expects something";
  const auto verdict = check::check(program.value(), check::Options());
  ASSERT_TRUE(verdict.ok()) << to_string(verdict.error());
  const auto judgements = check::judge(program.value(), verdict.value());
  open_expectations += count(judgements, Judged::open);
  EXPECT_EQ(failures(judgements), "");
}

INSTANTIATE_TEST_SUITE_P(Cases, Corpus,
                         testing::ValuesIn(case_files({".race.case", ".clean.case"})),
                         case_test_name);

}  // namespace
}  // namespace bohr

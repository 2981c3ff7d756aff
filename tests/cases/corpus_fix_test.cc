// SPDX-License-Identifier: Apache-2.0
// Repairs every case of the corpus and judges its `expect fix` lines. Of a case with a witness all
// causes must have a verified repair, and all chosen ones together must leave nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "case_files.h"
#include "check/check.h"
#include "fix/fix.h"
#include "fix/judge.h"
#include "replay/symbolic/replayer.h"
#include "trace/case_reader.h"

namespace bohr {
namespace {

class CorpusFix : public testing::TestWithParam<std::string> {};

TEST_P(CorpusFix, IsRepaired) {
  const auto program = trace::read_case(case_text(GetParam()), GetParam());
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const auto verdict = check::check(program.value(), {});
  ASSERT_TRUE(verdict.ok()) << to_string(verdict.error());
  fix::Options options;
  options.explore.confirmations = 2;
  options.replayer = [](const Program& repaired) { return replay::symbolic_replayer(repaired); };
  const auto repairs = fix::fix(program.value(), verdict.value(), options);
  ASSERT_TRUE(repairs.ok()) << to_string(repairs.error());
  for (const Judgement& judgement : fix::judge(program.value(), repairs.value()))
    EXPECT_EQ(judgement.state, Judged::met) << judgement.sentence;
  const auto& expected = program.value().expectations;
  const bool witness = std::any_of(expected.begin(), expected.end(), [](const Expectation& one) {
    return one.kind == ExpectKind::witness;
  });
  if (!witness) return;
  EXPECT_TRUE(repairs.value().complete);
  std::set<int32_t> mended;
  for (const Repair& repair : repairs.value().proposals)
    if (repair.verified || repair.covered) mended.insert(repair.cause);
  EXPECT_EQ(mended.size(), verdict.value().causes.size());
}

INSTANTIATE_TEST_SUITE_P(Cases, CorpusFix, testing::ValuesIn(case_files({".race.case"})),
                         case_test_name);

}  // namespace
}  // namespace bohr

// SPDX-License-Identifier: Apache-2.0
// Explores every case of the corpus that expects a witness, or none, on symbolic memory.
#include <gtest/gtest.h>

#include <string>

#include "case_files.h"
#include "check/check.h"
#include "explore/explore.h"
#include "explore/judge.h"
#include "replay/symbolic/replayer.h"
#include "trace/case_reader.h"

namespace bohr {
namespace {

class Witnesses : public testing::TestWithParam<std::string> {};

TEST_P(Witnesses, AreFoundWhereExpected) {
  auto program = trace::read_case(case_text(GetParam()), GetParam());
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  auto verdict = check::check(program.value(), check::Options());
  ASSERT_TRUE(verdict.ok()) << to_string(verdict.error());
  auto replayer = replay::symbolic_replayer(program.value());
  ASSERT_TRUE(replayer.ok()) << to_string(replayer.error());
  explore::Options options;
  options.budget = 100000;
  options.all_orders = true;
  const auto explored = explore::explore(*replayer.value(), verdict.value(), options);
  ASSERT_TRUE(explored.ok()) << to_string(explored.error());
  for (const Judgement& judgement : explore::judge(program.value(), explored.value()))
    EXPECT_EQ(judgement.state, Judged::met)
        << "line " << judgement.line << ": " << judgement.sentence << " (orders "
        << explored.value().orders << ")";
  for (const Witness& witness : explored.value().witnesses)
    EXPECT_EQ(witness.identical, witness.replays) << witness.first.label;
}

INSTANTIATE_TEST_SUITE_P(Cases, Witnesses,
                         testing::ValuesIn(case_files({".race.case", ".clean.case"})),
                         case_test_name);

}  // namespace
}  // namespace bohr

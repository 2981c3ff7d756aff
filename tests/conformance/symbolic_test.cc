// SPDX-License-Identifier: Apache-2.0
// Symbolic memory keeps the contract.
#include "conformance/replayer_suite.h"
#include "replay/symbolic/replayer.h"
#include "trace/case_reader.h"

namespace bohr::test {
namespace {

std::unique_ptr<replay::Replayer> make_symbolic() {
  auto program = trace::read_case(kConformanceCase, "conformance");
  BOHR_CHECK(program.ok());
  auto replayer = replay::symbolic_replayer(std::move(program).value());
  BOHR_CHECK(replayer.ok());
  return std::move(replayer).value();
}

INSTANTIATE_TEST_SUITE_P(Symbolic, ReplayerSuite,
                         testing::Values(Maker{"symbolic", make_symbolic}));

TEST(SymbolicReplayer, RefusesWhatItCannotRun) {
  auto program = trace::read_case(kConformanceCase, "conformance");
  ASSERT_TRUE(program.ok());
  program.value().accesses.front().mode = AccessMode::touch;
  const auto replayer = replay::symbolic_replayer(std::move(program).value());
  ASSERT_FALSE(replayer.ok());
  EXPECT_EQ(replayer.error().code, "params-only");
}

TEST(SymbolicReplayer, HasNoOrderOfItsOwn) {
  const auto replayer = make_symbolic();
  const auto outcome = replayer->run_unforced(1);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, "no-own-run");
}

}  // namespace
}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
// A log that knows kernels by their parameters alone leaves pairs undecided, since it does not tell
// who writes. Running them decides: what differs is a finding, what neither kernel was seen to
// write goes, and what leaves the same bytes stays undecided and says so.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/explore_file.h"
#include "sim/support.h"

namespace bohr::gpu::sim {
namespace {

enum class Pair { differs, both_read, same_bytes };

// `one` and `two` on two streams have `x` among their parameters.
ProgramText unordered(Pair pair, bool repaired) {
  return [pair, repaired](Runtime& gpu) -> Status {
    const Stream a = gpu.make_stream({.name = "a"});
    const Stream b = gpu.make_stream({.name = "b"});
    const Event done = gpu.make_event();
    BOHR_TRY(x, device_words(gpu, a, 64, "x"));
    BOHR_TRY(y, device_words(gpu, a, 64, "y"));
    BOHR_TRY(z, device_words(gpu, a, 64, "z"));
    for (const Words& words : {x, y, z})
      BOHR_TRY_STATUS(gpu.fill(words.address, 1, words.bytes(), a));
    BOHR_TRY_STATUS(gpu.sync_device());
    const KernelLaunch writes = hash_words("one", 1, {}, x);
    const KernelLaunch reads = hash_words("one", 1, {x}, z);
    BOHR_TRY_STATUS(gpu.launch(pair == Pair::both_read ? reads : writes, a));
    BOHR_TRY_STATUS(gpu.record(done, a));
    if (repaired) BOHR_TRY_STATUS(gpu.wait(b, done));
    const KernelLaunch writes_too = hash_words("two", 1, {}, x);
    const KernelLaunch reads_too = hash_words("two", 2, {x}, y);
    BOHR_TRY_STATUS(gpu.launch(pair == Pair::same_bytes ? writes_too : reads_too, b));
    return gpu.sync_device();
  };
}

struct Settled {
  Verdict before;
  app::Explored after;
};

Settled settled(Pair pair, bool repaired = false) {
  Options machine = small_machine();
  machine.declare = false;
  const Ran ran = run_program(unordered(pair, repaired), machine);
  const auto replayer = replayer_of(ran, machine);
  const app::CheckOptions check;
  auto checked = app::check_program(ran.program, "settle", check);
  BOHR_CHECK(checked.ok());
  Settled result{checked.value().verdict, {}};
  explore::Options options;
  options.fill = 0x5a;  // the simulated machine's memory is zero before the program
  auto after = app::explore_on(*replayer, std::move(checked).value(), check, options);
  EXPECT_TRUE(after.ok()) << to_string(after.error());
  result.after = std::move(after).value();
  return result;
}

int64_t on_x(const std::vector<Finding>& list) {
  return std::count_if(list.begin(), list.end(),
                       [](const Finding& finding) { return finding.range.name == "x"; });
}

TEST(SimSettle, WhatDiffersBecomesAFinding) {
  const Settled run = settled(Pair::differs);
  EXPECT_EQ(on_x(run.before.findings), 0);
  EXPECT_EQ(on_x(run.before.candidates), 1);
  const Verdict& after = run.after.checked.verdict;
  EXPECT_EQ(after.outcome, Outcome::findings);
  ASSERT_EQ(on_x(after.findings), 1);
  EXPECT_EQ(on_x(after.candidates), 0);
  ASSERT_EQ(run.after.exploration->witnesses.size(), 1u);
  const Witness& witness = run.after.exploration->witnesses[0];
  EXPECT_EQ(witness.identical, 20);
  EXPECT_NE(witness.cause, 0) << "the finding has the witness as its own";
  EXPECT_EQ(witness.first.label, "one");
  EXPECT_EQ(witness.second.label, "two");
}

TEST(SimSettle, WhatNeitherWritesGoes) {
  const Settled run = settled(Pair::both_read);
  EXPECT_EQ(on_x(run.before.candidates), 1);
  const Verdict& after = run.after.checked.verdict;
  EXPECT_TRUE(after.findings.empty());
  EXPECT_EQ(on_x(after.candidates), 0);
  EXPECT_TRUE(run.after.exploration->witnesses.empty());
}

TEST(SimSettle, WhatLeavesTheSameBytesStaysUndecidedAndSaysSo) {
  const Settled run = settled(Pair::same_bytes);
  EXPECT_EQ(on_x(run.before.candidates), 1);
  const Verdict& after = run.after.checked.verdict;
  EXPECT_TRUE(after.findings.empty());
  ASSERT_EQ(after.candidates.size(), 1u);
  EXPECT_EQ(after.candidates[0].reasons, std::vector<std::string>{"same-bytes"});
  EXPECT_EQ(after.outcome, Outcome::incomplete);
  EXPECT_TRUE(run.after.exploration->witnesses.empty());
}

TEST(SimSettle, WhatIsOrderedIsNoQuestion) {
  for (const Pair pair : {Pair::differs, Pair::both_read, Pair::same_bytes}) {
    const Settled run = settled(pair, true);
    EXPECT_EQ(on_x(run.before.candidates), 0);
    EXPECT_TRUE(run.after.checked.verdict.findings.empty());
    EXPECT_TRUE(run.after.exploration->witnesses.empty());
  }
}

}  // namespace
}  // namespace bohr::gpu::sim

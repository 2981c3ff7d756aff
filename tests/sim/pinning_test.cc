// SPDX-License-Identifier: Apache-2.0
// A kernel that writes other bytes in every run stands upstream of a race. Unpinned, every order
// differs from every other, right or wrong; pinned, the racy order differs each time and the
// repaired program's orders never do. Told in plain replays, and of the explorer.
#include <gtest/gtest.h>

#include "explore/schedules.h"
#include "sim/support.h"

namespace bohr::gpu::sim {
namespace {

// noisy -> write -> read, and beside them work that has nothing to do with it.
ProgramText noisy_program(bool repaired) {
  return [repaired](Runtime& gpu) -> Status {
    const Stream a = gpu.make_stream({.name = "a"});
    const Stream b = gpu.make_stream({.name = "b"});
    const Event written = gpu.make_event();
    BOHR_TRY(in, device_words(gpu, a, 64, "in"));
    BOHR_TRY(noise, device_words(gpu, a, 64, "noise"));
    BOHR_TRY(y, device_words(gpu, a, 64, "y"));
    BOHR_TRY(out, device_words(gpu, a, 64, "out"));
    BOHR_TRY(other, device_words(gpu, a, 64, "other"));
    BOHR_TRY_STATUS(gpu.fill(y.address, 7, y.bytes(), a));
    BOHR_TRY_STATUS(gpu.sync_device());
    BOHR_TRY_STATUS(gpu.launch(stamp_words("noisy", in, noise), a));
    BOHR_TRY_STATUS(gpu.launch(hash_words("write", 1, {noise}, y), a));
    BOHR_TRY_STATUS(gpu.record(written, a));
    BOHR_TRY_STATUS(gpu.launch(hash_words("beside", 2, {in}, other), b));
    if (repaired) BOHR_TRY_STATUS(gpu.wait(b, written));
    BOHR_TRY_STATUS(gpu.launch(hash_words("read", 3, {y}, out), b));
    return gpu.sync_device();
  };
}

constexpr int kRuns = 20;

struct Arm {
  explicit Arm(bool repaired) : ran(run_program(noisy_program(repaired), small_machine())) {
    replayer = replayer_of(ran, small_machine());
    BOHR_CHECK(replayer->learn().ok());
    order = order::step_order(ran.program, false).value();
    for (const Lifetime& lifetime : ran.program.lifetimes)
      if (lifetime.name == "out") out = lifetime.pieces[0].range;
  }

  int32_t step(const std::string& label) const {
    for (size_t i = 0; i < order.size(); ++i)
      if (label_of(ran.program, work_of(ran.program, order.steps[i])) == label)
        return static_cast<int32_t>(i);
    return -1;
  }

  uint64_t digest_after(const explore::Schedule& schedule, const std::vector<replay::Pin>& pins) {
    replay::Request request;
    request.order = schedule;
    request.pins = pins;
    BOHR_CHECK(replayer->run(request).ok());
    return replayer->digest({&out, 1}).value()[0];
  }

  // What `noisy` wrote in one run.
  std::vector<replay::Pin> recorded() {
    const explore::Schedule issued = explore::issue_schedule(order);
    const int32_t noisy = step("noisy");
    replay::Request request;
    request.order = issued;
    request.stepwise = true;
    request.keep = {&noisy, 1};
    auto outcome = replayer->run(request);
    BOHR_CHECK(outcome.ok());
    return {{noisy, outcome.value().kept[0]}};
  }

  // Of 20 runs of each schedule: how many leave `out` otherwise than issue order did at first.
  int differing(const std::vector<explore::Schedule>& schedules,
                const std::vector<replay::Pin>& pins) {
    const uint64_t reference = digest_after(explore::issue_schedule(order), pins);
    int differ = 0;
    for (const explore::Schedule& schedule : schedules)
      for (int i = 0; i < kRuns; ++i) differ += digest_after(schedule, pins) != reference;
    return differ;
  }

  // The orders that each delay one chain as long as possible.
  std::vector<explore::Schedule> covering() const {
    std::vector<explore::Schedule> schedules;
    const explore::Schedule issued = explore::issue_schedule(order);
    for (int32_t chain = 0; chain < order.chains; ++chain)
      schedules.push_back(explore::with_chain_delayed(order, issued, chain));
    return schedules;
  }

  Ran ran;
  std::unique_ptr<replay::Replayer> replayer;
  order::StepOrder order;
  ByteRange out;
};

TEST(SimPinning, UnpinnedTheSameOrderDiffersFromItself) {
  for (const bool repaired : {false, true}) {
    Arm arm(repaired);
    EXPECT_EQ(arm.differing({explore::issue_schedule(arm.order)}, {}), kRuns);
  }
}

TEST(SimPinning, PinnedTheRacyOrderDiffersEachTimeAndRightOnesNever) {
  Arm racy(false);
  const explore::Schedule issued = explore::issue_schedule(racy.order);
  const explore::Schedule reversed =
      explore::with_advanced(racy.order, issued, racy.step("write"), racy.step("read"));
  const auto pins = racy.recorded();
  EXPECT_EQ(racy.differing({reversed}, pins), kRuns);
  EXPECT_EQ(racy.differing({issued}, pins), 0);
  EXPECT_GT(racy.differing(racy.covering(), pins), 0);

  Arm repaired(true);
  ASSERT_GT(repaired.covering().size(), 1u);
  EXPECT_NE(repaired.covering()[0], repaired.covering()[1]);
  EXPECT_EQ(repaired.differing(repaired.covering(), repaired.recorded()), 0);
}

TEST(SimPinning, TheExplorerPinsTheSourceAndNothingElse) {
  const Explored racy = explored(noisy_program(false), small_machine());
  ASSERT_EQ(racy.exploration.pinned.size(), 1u);
  EXPECT_EQ(racy.exploration.pinned[0].label, "noisy");
  EXPECT_EQ(pairs_of(racy.exploration), std::vector<std::string>{"write read"});
  EXPECT_EQ(racy.exploration.witnesses.at(0).identical, 20);
  EXPECT_GT(racy.exploration.masked, 0);
  EXPECT_LT(racy.exploration.masked, 0.5);

  const Explored repaired = explored(noisy_program(true), small_machine());
  EXPECT_EQ(repaired.exploration.pinned.size(), 1u);
  EXPECT_EQ(repaired.exploration.different, 0);
  EXPECT_TRUE(repaired.exploration.witnesses.empty());
}

}  // namespace
}  // namespace bohr::gpu::sim

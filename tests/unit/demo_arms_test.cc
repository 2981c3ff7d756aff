// SPDX-License-Identifier: Apache-2.0
// The demo's layer: what it answers, in which ways it goes wrong, and that all of it repeats.
#include "app/demo_arms.h"

#include <gtest/gtest.h>

#include "app/demo_cuda.h"
#include "app/demo_layer.h"
#include "gpu/sim/serial.h"

namespace bohr::app::demo {
namespace {

struct Reference {
  Learned learned;
  Left right;
};

Reference make_reference() {
  auto learned = learn_answers();
  EXPECT_TRUE(learned.ok());
  auto right = reference(learned.value());
  EXPECT_TRUE(right.ok());
  return {std::move(learned).value(), std::move(right).value()};
}

const Reference& known() {
  static const Reference reference = make_reference();
  return reference;
}

ArmCount counted(Arm arm, uint64_t seed) {
  auto count = count_wrong(arm, known().learned, known().right, 200, seed);
  EXPECT_TRUE(count.ok());
  return std::move(count).value();
}

TEST(DemoArms, TheReferenceGivesTheAnswersThatWereLearned) {
  EXPECT_EQ(answer_text(known().right.tokens, 0), "{\"city\":\"Paris\"}");
  EXPECT_EQ(answer_text(known().right.tokens, 3), "{\"city\":\"Quito\"}");
  EXPECT_EQ(known().right.steps.size(), static_cast<size_t>(kLongest));
}

TEST(DemoArms, OnlyTwoStreamsInAGraphGoWrong) {
  for (const uint64_t seed : {1, 77, 4242}) {
    for (const Arm arm : {Arm::eager, Arm::one_stream, Arm::repaired}) {
      EXPECT_EQ(counted(arm, seed).wrong, 0) << to_string(arm) << ", seed " << seed;
      EXPECT_EQ(counted(arm, seed).wrong_answer, "");
    }
    const ArmCount two = counted(Arm::two_streams, seed);
    EXPECT_GT(two.wrong, 0) << seed;
    EXPECT_LT(two.wrong, two.steps / 2) << seed;
    EXPECT_LE(two.wrong, two.runs);  // a run counts up to its first wrong step
  }
}

TEST(DemoArms, AsManyStepsAreCountedAsWereAskedFor) {
  for (const Arm arm : {Arm::one_stream, Arm::two_streams}) EXPECT_EQ(counted(arm, 1).steps, 200);
}

TEST(DemoArms, OneSeedGivesOneCount) {
  const ArmCount first = counted(Arm::two_streams, 5), again = counted(Arm::two_streams, 5);
  EXPECT_EQ(first.wrong, again.wrong);
  EXPECT_EQ(first.runs, again.runs);
  EXPECT_EQ(first.wrong_answer, again.wrong_answer);
  EXPECT_EQ(first.step_us, again.step_us);
}

// The same kernels in the same order leave the same bytes, however they were issued.
TEST(DemoArms, IssueOrderIsRightInEveryArm) {
  for (const Arm arm : kArms) {
    const auto ran = run_arm(arm, kLongest, known().learned, "");
    ASSERT_TRUE(ran.ok());
    gpu::sim::Arena arena(memory());
    const auto items = items_of(ran.value().tape);
    ASSERT_TRUE(run_serial(ran.value().tape, items, 0, &arena).ok());
    EXPECT_EQ(what_is_left(ran.value(), arena).steps, known().right.steps) << to_string(arm);
  }
}

TEST(DemoArms, OverlapIsFasterThanOneStreamAndAGraphThanEager) {
  const double eager = counted(Arm::eager, 1).step_us, one = counted(Arm::one_stream, 1).step_us,
               two = counted(Arm::two_streams, 1).step_us;
  EXPECT_LT(two, one);
  EXPECT_LT(one, eager);
}

constexpr const char* kCounts =
    "steps 1000\nwrong 21\nruns 71\nwrong_runs 10\nstep_us 31.5\ndevice NVIDIA H200\n";

TEST(DemoCuda, CountsAreReadAsTheProgramWritesThem) {
  std::string device, right;
  const auto count = read_count(Arm::two_streams,
                                std::string(kCounts) +
                                    "question 3\nright {\"city\":\"Cairo\"}\n"
                                    "wrong_answer {\"city\": no\n",
                                &device, &right);
  ASSERT_TRUE(count.ok());
  EXPECT_EQ(count.value().wrong, 21);
  EXPECT_EQ(count.value().steps, 1000);
  EXPECT_EQ(count.value().wrong_runs, 10);
  EXPECT_EQ(count.value().step_us, 31.5);
  EXPECT_EQ(count.value().share.share, 0.021);
  EXPECT_EQ(device, "NVIDIA H200");
  EXPECT_EQ(question(count.value().wrong_sequence), "3");
  EXPECT_EQ(right, "{\"city\":\"Cairo\"}");
  EXPECT_EQ(count.value().wrong_answer, "{\"city\": no");
}

TEST(DemoCuda, WithoutAWrongAnswerThereIsNone) {
  std::string device, right;
  const auto count = read_count(Arm::eager, kCounts, &device, &right);
  ASSERT_TRUE(count.ok());
  EXPECT_EQ(count.value().wrong_sequence, -1);
  EXPECT_EQ(right, "");
}

TEST(DemoCuda, WhatIsNoCountIsRefused) {
  std::string device, right;
  for (const char* text : {"", "steps 10\n", "steps 10\nwrong 11\nruns 1\n", "steps x\nruns 1\n"}) {
    const auto count = read_count(Arm::eager, text, &device, &right);
    ASSERT_FALSE(count.ok()) << text;
    EXPECT_EQ(count.error().code, "demo-program");
  }
}

}  // namespace
}  // namespace bohr::app::demo

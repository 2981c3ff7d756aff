// SPDX-License-Identifier: Apache-2.0
// Bytes without meaning: a race that shows nowhere else has no witness, and its twins have one.
#include <gtest/gtest.h>

#include "app/ignore.h"
#include "explore_texts.h"

namespace bohr::test {
namespace {

using Lines = std::vector<std::string>;

// `pad` writes the tail of what `write` writes whole, and nothing orders them.
const std::string kPadRace =
    "stream a\nstream b\nbuffer out 4096\nview tail of out[3072:4096]\n"
    "a: kernel write writes out\nb: kernel pad writes out[3072:4096]\n";
// The same, and `use` takes something from the tail.
const std::string kUsedPad =
    kPadRace + "buffer y 64\na: kernel use reads out[4032:4096] writes y\n";

app::Checked subject(const std::string& case_text) {
  app::Checked checked;
  checked.name = "test";
  checked.program = program_of(case_text);
  return checked;
}

Result<std::vector<Ignored>> named(const std::string& case_text, const Lines& texts) {
  const std::vector<app::Checked> one = {subject(case_text)};
  auto found = app::ignored_in(one, texts);
  if (!found.ok()) return found.error();
  return found.value().front();
}

Exploration ignoring(const std::string& case_text, const Lines& texts, bool run_on = true) {
  explore::Options options;
  options.ignored = named(case_text, texts).value();
  options.run_on = run_on;
  return exploration_of(case_text, options);
}

TEST(Ignored, ADifferenceThereIsNoWitness) {
  EXPECT_EQ(witnesses_of(exploration_of(kPadRace)), Lines{"write | pad on out -> out"});
  for (const std::string name : {"out[3072:4096]", "out[3K:4K]", "out [3K, 4K)", "tail"}) {
    const Exploration found = ignoring(kPadRace, {name});
    EXPECT_EQ(witnesses_of(found), Lines{}) << name;
    EXPECT_EQ(found.different, 0) << name;
    EXPECT_TRUE(found.pairs_covered) << name;
    EXPECT_DOUBLE_EQ(found.masked, 0.25) << name;
    EXPECT_EQ(found.reasons, Lines{}) << name;
    ASSERT_EQ(found.trials.size(), 1u);
    EXPECT_EQ(found.trials[0].result, TrialResult::same_bytes);
  }
}

TEST(Ignored, ADifferenceElsewhereIsOne) {
  EXPECT_EQ(witnesses_of(ignoring(kPadRace, {"out[0:3072]"})), Lines{"write | pad on out -> out"});
  // A part of the tail: the rest of it still differs.
  const Exploration part = ignoring(kPadRace, {"tail[0:512]"});
  EXPECT_EQ(witnesses_of(part), Lines{"write | pad on out -> out"});
  EXPECT_DOUBLE_EQ(part.masked, 0.125);
}

TEST(Ignored, WhatIsComputedFromItStillCounts) {
  const Exploration found = ignoring(kUsedPad, {"tail"});
  EXPECT_EQ(witnesses_of(found), (Lines{"write | pad on out -> y", "pad | use on out -> y"}));
  for (const Witness& witness : found.witnesses) {
    EXPECT_EQ(witness.damaged.label, "use");
    ASSERT_EQ(witness.ignored.size(), 1u);
    EXPECT_EQ(witness.ignored[0].name.name, "tail");
    EXPECT_EQ(witness.identical, 20);
  }
}

TEST(Ignored, DoesNotStopAnOrder) {
  // `pad`, whose bytes depend on x, is the first step that differs; it stops no order.
  const std::string text =
      "stream a\nstream b\nbuffer x 64\nbuffer out 4096\nbuffer y 64\n"
      "a: kernel write writes x\nb: kernel pad reads x writes out[3072:4096]\n"
      "b: kernel use reads x writes y\n";
  EXPECT_EQ(exploration_of(text, {.run_on = false}).witnesses[0].damaged.label, "pad");
  const Exploration found = ignoring(text, {"out"}, false);
  ASSERT_FALSE(found.witnesses.empty());
  for (const Witness& witness : found.witnesses) EXPECT_EQ(witness.damaged.label, "use");
}

TEST(Ignored, TooMuchOfItIsSaid) {
  const Exploration most = ignoring(kPadRace, {"out[0:3K]"});
  EXPECT_DOUBLE_EQ(most.masked, 0.75);
  EXPECT_EQ(most.reasons, Lines{"outputs-masked"});
  const Exploration all = ignoring(kPadRace, {"out"});
  EXPECT_DOUBLE_EQ(all.masked, 1);
  EXPECT_EQ(all.reasons, Lines{"outputs-masked"});
  EXPECT_EQ(witnesses_of(all), Lines{});
  const Exploration half = ignoring(kPadRace, {"out[0:1K]", "out[512:2K]"});
  EXPECT_DOUBLE_EQ(half.masked, 0.5) << "what is named twice counts once";
  EXPECT_EQ(half.reasons, Lines{});
}

TEST(Ignored, NamesThatAreNoneAreRefusedWithTheNearest) {
  const auto unknown = named(kUsedPad, {"outt"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, "ignore-name");
  EXPECT_EQ(unknown.error().where, "outt");
  EXPECT_EQ(unknown.error().remedy, "the nearest names are out, tail, y");
  const auto beyond = named(kUsedPad, {"tail[0:1025]"});
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().code, "ignore-range");
  EXPECT_EQ(beyond.error().why, "the range ends at 1025, and it has 1024 bytes");
  const auto empty = named(kUsedPad, {"out[8:8]"});
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().code, "ignore-range");
  for (const std::string text : {"out[8]", "out[a:b]", "out[1:2", "", "[0:8]"}) {
    const auto found = named(kUsedPad, {text});
    ASSERT_FALSE(found.ok()) << text;
    EXPECT_EQ(found.error().code, "ignore-name") << text;
  }
}

TEST(Ignored, FollowsTheBytesOfABlockThatLiesInPieces) {
  // `big` begins in old's bytes and goes on elsewhere.
  const std::string text =
      "stream a\nbuffer x 64\na: alloc old 1024\na: kernel k1 writes old\na: free old\n"
      "a: alloc big 4096 over old\na: kernel k2 reads x writes big\n";
  const auto found = named(text, {"big[512:2K]"});
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found.value().size(), 2u);
  EXPECT_EQ(found.value()[0].name.begin, 512u);
  EXPECT_EQ(found.value()[0].name.end, 1024u);
  EXPECT_EQ(found.value()[0].range.size(), 512u);
  EXPECT_EQ(found.value()[1].name.begin, 1024u);
  EXPECT_EQ(found.value()[1].name.end, 2048u);
  EXPECT_EQ(found.value()[1].range.size(), 1024u);
}

TEST(Ignored, ANameNeedsToBeInOneOfSeveralProgramsOnly) {
  const std::vector<app::Checked> ranks = {subject(kPadRace), subject(kUsedPad)};
  const auto found = app::ignored_in(ranks, {"y"});
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found.value()[0].empty());
  EXPECT_EQ(found.value()[1].size(), 1u);
}

}  // namespace
}  // namespace bohr::test

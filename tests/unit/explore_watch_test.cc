// SPDX-License-Identifier: Apache-2.0
// Watched bytes: whoever writes them and is not expected to is told, by page, and nobody else is.
#include <gtest/gtest.h>

#include "app/explore_file.h"
#include "app/watch.h"
#include "check/check.h"
#include "explore/merge.h"
#include "explore_texts.h"
#include "forwarding_replayer.h"
#include "report/json.h"
#include "report/text.h"
#include "report/watched_text.h"

namespace bohr::test {
namespace {

using Lines = std::vector<std::string>;

// `write` and `pad` share a block, each with its own part of it; nothing is unordered.
const std::string kShared =
    "stream a\nstream b\nbuffer x 64\nbuffer out 16K\nview tail of out[3K:16K]\n"
    "a: kernel write reads x writes out[0:3K]\na: record e\nb: wait e\n"
    "b: kernel pad reads x writes out[3K:9K]\n";
const std::string kGraph =
    "stream main\nbuffer x 64\nbuffer y 64\n"
    "capture g on main\nmain: kernel fill reads x writes y\nmain: kernel use reads y writes x\n"
    "end g\nmain: launch g\nmain: launch g\n";

std::vector<Watch> watches(const Program& program, const Lines& texts) {
  app::WatchList list(texts);
  auto found = list.in(program, steps_of(program), app::Blocks::all);
  for (const Error& error : list.unmet()) ADD_FAILURE() << to_string(error);
  return found;
}

Exploration watching(const std::string& text, const Lines& texts, explore::Options options = {}) {
  options.watched = watches(program_of(text), texts);
  return exploration_of(text, options);
}

// "pad 1024 of out [3072, 4096) at 3072 in +0", for each page.
Lines canaries(const Exploration& exploration) {
  Lines lines;
  for (const Watched& watched : exploration.watched)
    for (const Canary& c : watched.canaries)
      lines.push_back(c.step.label + " " + std::to_string(c.bytes) + " of " + c.range.name + " [" +
                      std::to_string(c.range.begin) + ", " + std::to_string(c.range.end) + ") at " +
                      std::to_string(c.offset));
  return lines;
}

Lines expected(const Exploration& exploration) {
  Lines labels;
  for (const Watched& watched : exploration.watched)
    for (const StepName& step : watched.expected) labels.push_back(step.label);
  return labels;
}

TEST(Watch, AWriterThatIsNotExpectedIsToldByPage) {
  const Exploration found = watching(kShared, {"out=write"});
  EXPECT_EQ(canaries(found),
            (Lines{"pad 1024 of out [3072, 4096) at 3072", "pad 4096 of out [4096, 8192) at 4096",
                   "pad 1024 of out [8192, 9216) at 8192"}));
  EXPECT_EQ(expected(found), Lines{"write"});
  const Canary& first = found.watched[0].canaries[0];
  EXPECT_EQ(first.page % 4096, 0u);
  EXPECT_EQ(found.watched[0].canaries[1].page, first.page + 4096);
  EXPECT_EQ(first.step.where, "b");
  EXPECT_EQ(found.watched[0].contents, 2);
}

TEST(Watch, ItsTwinIsSilent) {
  for (const std::string text :
       {"out=write,pad", "out", "tail", "tail=pad", "out[0:3K]=write", "out [9K, 16K)=", "x="}) {
    const Exploration found = watching(kShared, {text});
    EXPECT_EQ(canaries(found), Lines{}) << text;
    ASSERT_EQ(found.watched.size(), 1u) << text;
    EXPECT_EQ(found.watched[0].contents, 2) << text;
    EXPECT_EQ(found.reasons, Lines{}) << text;
  }
}

TEST(Watch, OnlyWatchedBytesCount) {
  const Exploration part = watching(kShared, {"out[2K:3100]=write"});
  EXPECT_EQ(canaries(part), Lines{"pad 28 of out [3072, 3100) at 1024"});
  const Exploration view = watching(kShared, {"tail[1K:2K]="});
  EXPECT_EQ(canaries(view), Lines{"pad 1024 of tail [1024, 2048) at 0"});
}

TEST(Watch, ByDefaultThoseAreExpectedThatNameItAndMayWrite) {
  EXPECT_EQ(expected(watching(kShared, {"out"})), (Lines{"write", "pad"}));
  EXPECT_EQ(expected(watching(kShared, {"tail"})), Lines{"pad"});
  EXPECT_EQ(expected(watching(kShared, {"x"})), Lines{}) << "it is read only";
  Program program = program_of(kShared);
  for (Access& access : program.accesses) access.mode = AccessMode::touch;
  EXPECT_EQ(watches(program, {"x"})[0].expected.size(), 2u) << "the direction is not known";
}

TEST(Watch, AddressesNeedNoName) {
  const Program program = program_of(kShared);
  const ByteRange out = program.lifetimes[1].pieces[0].range;
  const std::string at = address_text({out.begin + 4096, out.begin + 8192});
  EXPECT_EQ(canaries(watching(kShared, {at + "=write"})),
            Lines{"pad 4096 of " + at.substr(0, at.find('+')) + " [0, 4096) at 0"});
  EXPECT_EQ(canaries(watching(kShared, {at})), Lines{});
  EXPECT_EQ(expected(watching(kShared, {at})), Lines{"pad"});
}

// A block that has the bytes at another time is named by its own steps.
TEST(Watch, MemoryThatIsHandedOnIsNoCanary) {
  const std::string text =
      "stream a\nbuffer x 64\na: alloc old 1024\na: kernel k1 writes old\n"
      "a: kernel k2 reads old writes x\na: free old\na: alloc new 1024 over old\n"
      "a: kernel k3 reads x writes new\n";
  EXPECT_EQ(canaries(watching(text, {"old"})), Lines{});
  EXPECT_EQ(canaries(watching(text, {"old=k1"})), Lines{"k3 1024 of old [0, 1024) at 0"});
}

TEST(Watch, AtomicUpdatesAreWrites) {
  const std::string text =
      "stream a\nbuffer x 64\nbuffer y 64\na: kernel set writes y\na: kernel add reads x atomics "
      "y\n";
  EXPECT_EQ(canaries(watching(text, {"y=set"})), Lines{"add 64 of y [0, 64) at 0"});
  EXPECT_EQ(canaries(watching(text, {"y"})), Lines{});
}

TEST(Watch, ALabelMayNameOneLaunchOrAll) {
  EXPECT_EQ(canaries(watching(kGraph, {"y=fill"})), Lines{});
  EXPECT_EQ(canaries(watching(kGraph, {"y=fill@2"})), Lines{"fill 64 of y [0, 64) at 0"});
  EXPECT_EQ(canaries(watching(kGraph, {"y=use"})),
            (Lines{"fill 64 of y [0, 64) at 0", "fill@2 64 of y [0, 64) at 0"}));
}

// A value that is written over an equal one shows under other contents only.
class SameAgain : public ForwardingReplayer {
 public:
  using ForwardingReplayer::ForwardingReplayer;
  Result<replay::Outcome> run(const replay::Request& request) override {
    auto outcome = ForwardingReplayer::run(request);
    filled.push_back(request.contents.empty() ? ByteRange() : request.contents[0].range);
    if (request.contents.empty()) outcome.value().changed.clear();
    return outcome;
  }
  std::vector<ByteRange> filled;  // by run
};

Exploration on(replay::Replayer& replayer, const explore::Options& options) {
  const auto verdict = check::check(replayer.program(), {});
  auto exploration = explore::explore(replayer, verdict.value(), options);
  EXPECT_TRUE(exploration.ok()) << to_string(exploration.error());
  return std::move(exploration).value();
}

TEST(Watch, OtherContentsAreTriedAndPutBack) {
  // `late` has an order of its own, which is run after all that concerns the watch.
  const Program program = program_of(kShared + "a: kernel late reads x writes out[9K:10K]\n" +
                                     "b: kernel last updates out[9K:10K]\n");
  SameAgain replayer(symbolic_of(program));
  explore::Options options;
  options.watched = watches(program, {"out[3K:4K]=write"});
  const Exploration found = on(replayer, options);
  EXPECT_EQ(canaries(found), Lines{"pad 1024 of out [3072, 4096) at 0"});
  const ByteRange watched = options.watched[0].pieces[0].range;
  EXPECT_EQ(std::count(replayer.filled.begin(), replayer.filled.end(), watched), 1);
  EXPECT_NE(replayer.filled.back(), watched);
}

TEST(Watch, WithoutBudgetItSaysHowFarItCame) {
  const Exploration none = watching(kShared, {"out=write"}, {.budget = 3});
  ASSERT_EQ(none.watched.size(), 1u);
  EXPECT_EQ(none.watched[0].contents, 0);
  EXPECT_EQ(none.reasons, Lines{"budget"});
  const Exploration once = watching(kShared, {"out=write"}, {.budget = 4});
  EXPECT_EQ(once.watched[0].contents, 1);
  EXPECT_EQ(canaries(once).size(), 3u) << "what was seen stays";
}

class Blind : public ForwardingReplayer {
 public:
  Blind(std::unique_ptr<replay::Replayer> inner, ByteRange unseen)
      : ForwardingReplayer(std::move(inner)), unseen_(unseen) {}
  Result<replay::Saved> learn() override {
    auto saved = ForwardingReplayer::learn();
    if (saved.ok()) saved.value().unseen = {unseen_};
    return saved;
  }

 private:
  ByteRange unseen_;
};

app::Explored explored(const std::string& text, Exploration exploration) {
  app::Explored one;
  one.checked.name = "p";
  one.checked.program = program_of(text);
  one.exploration = std::move(exploration);
  return one;
}

TEST(Watch, WhatCouldNotBeLookedAtIsTold) {
  const Program program = program_of(kShared);
  const ByteRange out = program.lifetimes[1].pieces[0].range;
  Blind replayer(symbolic_of(program), {out.begin + 8192, out.end});
  explore::Options options;
  options.watched = watches(program, {"out[0:10K]"});
  const Exploration found = on(replayer, options);
  ASSERT_EQ(found.watched[0].unseen.size(), 1u);
  EXPECT_EQ(found.watched[0].unseen[0].name.begin, 8192u);
  EXPECT_EQ(found.watched[0].unseen[0].name.end, 10240u);
  const std::vector<app::Explored> all = {explored(kShared, found)};
  EXPECT_EQ(app::status_of(all, {}), app::ExitStatus::incomplete);
  const std::string text = report::render_text(app::subjects_of(all), {});
  EXPECT_NE(text.find("not watched    out [8K, 10K)"), std::string::npos) << text;
}

TEST(Watch, AnUnexpectedWriteIsAFinding) {
  const auto status = [](const std::string& watch, explore::Options options = {}) {
    const std::vector<app::Explored> one = {explored(kShared, watching(kShared, {watch}, options))};
    return app::status_of(one, {});
  };
  EXPECT_EQ(status("out=write"), app::ExitStatus::findings);
  EXPECT_EQ(status("out"), app::ExitStatus::clean);
  EXPECT_EQ(status("out", {.budget = 3}), app::ExitStatus::incomplete);
  std::vector<app::Explored> one = {explored(kShared, watching(kShared, {}))};
  EXPECT_EQ(app::status_of(one, {}), app::ExitStatus::clean);
  one[0].unwatched = true;
  EXPECT_EQ(app::status_of(one, {}), app::ExitStatus::incomplete);
}

TEST(Watch, TheReportTellsPagesAndWriters) {
  const std::vector<app::Explored> one = {explored(kGraph, watching(kGraph, {"y=use", "x"}))};
  const std::string text = report::render_text(app::subjects_of(one), {});
  for (const char* line :
       {"UNEXPECTED WRITES to what is watched: 2 pages.", "WATCHED   y [0, 64)",
        "expected       use(main), use@2(main)", "2 pages WRITTEN BY OTHERS",
        "written by     fill@2(main)   g, node 0", "offset 0: 64 bytes of y [0, 64) changed",
        "WATCHED   x [0, 64)", "use(main), use@2(main), which name it",
        "no other step wrote it, under 2 contents"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  const std::string json = report::render_json(app::subjects_of(one), {});
  EXPECT_NE(json.find("\"watch\": \"y=use\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"offset\": 0"), std::string::npos) << json;
  EXPECT_EQ(report::canary_lines(*one[0].exploration),
            (Lines{"fill(main) wrote y [0, 64), which it is not expected to",
                   "fill@2(main) wrote y [0, 64), which it is not expected to"}));
}

TEST(Watch, ManyPagesAreCounted) {
  const std::vector<app::Explored> one = {explored(kShared, watching(kShared, {"out="}))};
  report::TextOptions options;
  options.most = 2;
  const std::string text = report::render_text(app::subjects_of(one), options);
  EXPECT_NE(text.find("and 1 more page: --all"), std::string::npos) << text;
  EXPECT_NE(text.find("4 pages WRITTEN BY OTHERS"), std::string::npos) << text;
}

TEST(Watch, LaunchesOfSeveralGraphsAreTold) {
  Exploration all;
  explore::merge(watching(kShared, {"out=write", "x"}), &all);
  explore::merge(watching(kShared, {"out=write", "tail"}, {.budget = 4}), &all);
  ASSERT_EQ(all.watched.size(), 3u);
  EXPECT_EQ(all.watched[0].canaries.size(), 6u);
  EXPECT_EQ(all.watched[0].contents, 1) << "of the one that was watched least";
  EXPECT_EQ(all.watched[2].watch.text, "tail");
}

// --- names ---

Lines refused(const std::vector<Program>& programs, const std::string& text,
              app::Blocks blocks = app::Blocks::all) {
  app::WatchList list({text});
  for (const Program& program : programs) list.in(program, steps_of(program), blocks);
  Lines lines;
  for (const Error& error : list.unmet()) lines.push_back(error.code + ": " + error.remedy);
  return lines;
}

TEST(WatchNames, WhatIsNoneIsRefusedWithTheNearest) {
  const std::vector<Program> one = {program_of(kShared)};
  EXPECT_EQ(refused(one, "tial"), Lines{"watch-name: the nearest names are tail, out, x"});
  EXPECT_EQ(refused(one, "out=pat"), Lines{"watch-label: the nearest labels are pad, write"});
  EXPECT_EQ(refused(one, "out=pad,wrote"), Lines{"watch-label: the nearest labels are write, pad"});
  for (const std::string text : {"out[0:17K]", "out[8:8]", "0x100000+0"})
    EXPECT_EQ(refused(one, text), Lines{"watch-range: write NAME, NAME[lo:hi] or 0xADDR+BYTES"})
        << text;
  EXPECT_EQ(refused(one, "0x10+8").size(), 1u);
  EXPECT_EQ(refused(one, "0x10+8")[0].substr(0, 12), "watch-memory");
  for (const std::string text : {"", "=", "0x10", "0xg+8", "0x10+8x", "out[8]", "out[a:b]=pad"})
    EXPECT_EQ(refused(one, text)[0].substr(0, 10), "watch-name") << text;
}

TEST(WatchNames, OneOfSeveralProgramsNeedsToHaveIt) {
  const std::vector<Program> ranks = {program_of(kShared), program_of(kGraph)};
  EXPECT_EQ(refused(ranks, "tail"), Lines{});
  EXPECT_EQ(refused(ranks, "x=fill"), Lines{}) << "a label of one of two";
  EXPECT_EQ(refused(ranks, "x=fil").size(), 1u);
  EXPECT_EQ(refused(ranks, "z").size(), 1u);
}

// Names and labels of recorded programs may hold anything.
TEST(WatchNames, TheLongestThatIsSomebodysIsMeant) {
  Program program = program_of(kShared);
  program.lifetimes[1].name = "a=b[0:4]";
  for (std::string& name : program.names) {
    if (name == "write") name = "f<1,2>";
    if (name == "pad") name = "f<1";
  }
  const auto found = watches(program, {"a=b[0:4]=f<1,2>"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pieces[0].range.size(), 16u << 10);
  ASSERT_EQ(found[0].expected.size(), 1u);
  EXPECT_EQ(found[0].expected[0], steps_of(program)[0]);
  EXPECT_EQ(watches(program, {"a=b[0:4]"})[0].listed, false);
  EXPECT_EQ(watches(program, {"a=b[0:4][0:8]=f<1,f<1,2>"})[0].expected.size(), 2u);
}

// Where a launch is held, what was freed before is not to be watched any more.
TEST(WatchNames, OnlyWhatLivesWhereALaunchIsHeld) {
  Program program = program_of(
      "stream a\na: alloc old 64\na: kernel k writes old\na: free old\na: alloc t 64\n"
      "a: kernel l writes t\n");
  EXPECT_EQ(refused({program}, "old"), Lines{});
  EXPECT_EQ(refused({program}, "old", app::Blocks::live_now),
            Lines{"watch-memory: watch what lives while the graph runs"});
  EXPECT_EQ(refused({program}, "t", app::Blocks::live_now), Lines{});
  EXPECT_EQ(refused({program}, "0x10+8", app::Blocks::live_now), Lines{})
      << "the driver may know it";
}

TEST(WatchNames, RefusalsOfAReplayerGetTheName) {
  const auto found = watches(program_of(kShared), {"out[0:8]", "x"});
  const Error error{"watch-memory", "", address_text(found[1].pieces[0].range), "why", ""};
  EXPECT_EQ(app::by_name(error, found).why, "x: why");
  EXPECT_EQ(app::by_name({"", "", "elsewhere", "", ""}, found).where, "elsewhere");
}

}  // namespace
}  // namespace bohr::test

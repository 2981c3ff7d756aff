// SPDX-License-Identifier: Apache-2.0
// Why a finding is missing elsewhere: a racy program, another one, and the answer as one word.
#include <gtest/gtest.h>

#include "check/absence.h"
#include "check_texts.h"
#include "trace/case_reader.h"

namespace bohr::check {
namespace {

struct Checked {
  Program program;
  Verdict verdict;
  Arenas arenas;
};

Checked checked(const std::string& text) {
  Checked one;
  one.program = trace::read_case("case 1\n" + text, "test").value();
  one.verdict = check(one.program, {}).value();
  one.arenas = make_arenas(one.program, false).value();
  return one;
}

Absence why(const Checked& from, const Checked& in, GraphId graph = {}) {
  EXPECT_FALSE(from.verdict.causes.empty());
  if (from.verdict.causes.empty()) return {};
  return Elsewhere(in.program, in.verdict, in.arenas)
      .why(from.program, from.verdict, from.verdict.causes.front(), graph);
}

const char* const kHead = R"(
stream s
stream t
buffer x 4K
buffer y 4K
)";

const std::string kRace = std::string(kHead) + R"(
s: kernel make writes x
t: kernel use reads x writes y
)";

AbsenceKind kind(const std::string& other) {
  return why(checked(kRace), checked(kHead + other)).kind;
}

TEST(CheckAbsence, AWait) {
  EXPECT_EQ(
      kind("s: kernel make writes x\ns: record e\nt: wait e\nt: kernel use reads x writes y\n"),
      AbsenceKind::wait);
}

// What replays proved is undecided in the recording alone.
TEST(CheckAbsence, AWaitForAnUndecidedPair) {
  Checked race = checked(kRace);
  race.verdict.candidates.swap(race.verdict.findings);
  for (Cause& cause : race.verdict.causes) cause.candidate = true;
  const Checked waits = checked(
      kHead + std::string("s: kernel make writes x\ns: record e\nt: wait e\nt: kernel use reads x "
                          "writes y\n"));
  EXPECT_EQ(why(race, waits).kind, AbsenceKind::wait);
}

TEST(CheckAbsence, TheHost) {
  EXPECT_EQ(kind("s: kernel make writes x\nhost: sync s\nt: kernel use reads x writes y\n"),
            AbsenceKind::host);
}

TEST(CheckAbsence, OneStreamAndTheOtherUnused) {
  const Absence absence =
      why(checked(kRace), checked(kHead + std::string("s: kernel make writes x\n"
                                                      "s: kernel use reads x writes y\n")));
  EXPECT_EQ(absence.kind, AbsenceKind::side_unused);
  EXPECT_EQ(absence.detail, "t");
}

TEST(CheckAbsence, OneStreamAndTheOtherBusy) {
  EXPECT_EQ(kind("buffer z 4K\nt: kernel other writes z\ns: kernel make writes x\n"
                 "s: kernel use reads x writes y\n"),
            AbsenceKind::one_stream);
}

TEST(CheckAbsence, NoSuchWork) {
  const Absence absence =
      why(checked(kRace), checked(kHead + std::string("s: kernel make writes x\nt: kernel use2 "
                                                      "reads x writes y\ns: record e\n"
                                                      "t: wait e\n")));
  EXPECT_EQ(absence.kind, AbsenceKind::no_work);
  EXPECT_EQ(absence.detail, "use");
}

TEST(CheckAbsence, OtherBytes) {
  EXPECT_EQ(kind("buffer z 4K\ns: kernel make writes x\nt: kernel use reads z writes y\n"),
            AbsenceKind::not_shared);
}

TEST(CheckAbsence, BothOnlyReadShareNothingThatMatters) {
  EXPECT_EQ(kind("s: kernel make reads x\nt: kernel use reads x writes y\n"),
            AbsenceKind::not_shared);
}

TEST(CheckAbsence, NothingIsClaimedOfAPairThatIsThere) {
  EXPECT_EQ(kind("s: kernel make writes x\nt: kernel use reads x writes y\n"),
            AbsenceKind::unknown);
}

TEST(CheckAbsence, NothingIsClaimedWhereRecordsAreMissing) {
  Checked other = checked(kHead + std::string("s: kernel other writes x\n"));
  other.program.diagnostics.push_back({.reason = "lost-records", .text = "cut"});
  const Absence absence = why(checked(kRace), other);
  EXPECT_EQ(absence.kind, AbsenceKind::unrecorded);
  EXPECT_EQ(absence.detail, "lost-records");
}

TEST(CheckAbsence, ACaseSaysNothingOfTheBlocksOfARecordedProgram) {
  Checked other = checked(kRace);
  other.program.recorded = true;
  other.program.lifetimes.clear();
  EXPECT_FALSE(Alike(other.program).blocks(checked(kRace).program, LifetimeId(0)).has_value());
}

const char* const kGraphs = R"(
stream main
stream idx
pool g
buffer x 16K
buffer topk 4K
buffer out 16K
)";

// One layer of a decode step, captured as `name` with logits of `size`; `over` hands its bytes on.
std::string graph(const std::string& name, const std::string& size, bool over, bool join_first) {
  const std::string n = name;
  const std::string join = "idx: record j" + n + "\nmain: wait j" + n + "\n";
  return "capture " + n + " on main\nmain: alloc logits" + n + " " + size +
         " pool g\nmain: kernel score" + n + " reads x writes logits" + n + "\nmain: record f" + n +
         "\nidx: wait f" + n + "\nidx: kernel select" + n + " reads logits" + n +
         " writes topk\nmain: free logits" + n + "\n" + (join_first ? join : "") + "main: alloc q" +
         n + " 16K pool g" + (over ? " over logits" + n : "") + "\nmain: kernel project" + n +
         " reads x writes q" + n + "\n" + (join_first ? "" : join) + "main: free q" + n + "\nend " +
         n + "\nmain: launch " + n + "\n";
}

TEST(CheckAbsence, AnEdgeIsNamedWhereItLeavesTheStream) {
  const Absence absence = why(checked(kGraphs + graph("a", "16K", true, false)),
                              checked(kGraphs + graph("a", "16K", true, true)));
  EXPECT_EQ(absence.kind, AbsenceKind::edge);
  EXPECT_EQ(absence.detail, "selecta");
  EXPECT_EQ(absence.to, "projecta");
}

TEST(CheckAbsence, NoBlock) {
  EXPECT_EQ(why(checked(kGraphs + graph("a", "16K", true, false)),
                checked(kGraphs + std::string("main: kernel scorea reads x writes out\n")))
                .kind,
            AbsenceKind::no_block);
}

TEST(CheckAbsence, AReusedBlockIsNotFreedLater) {
  const Checked latent = checked(kGraphs + graph("a", "16K", false, false));
  ASSERT_EQ(latent.verdict.causes.front().cls, HazardClass::lifetime);
  const Checked reused = checked(kGraphs + graph("a", "16K", true, false));
  const Absence absence = why(latent, reused);
  EXPECT_EQ(absence.kind, AbsenceKind::reused);
  EXPECT_EQ(absence.detail, reused.verdict.causes.front().site);
  EXPECT_EQ(why(latent, checked(kGraphs + graph("a", "16K", true, true))).kind,
            AbsenceKind::free_later);
}

}  // namespace
}  // namespace bohr::check

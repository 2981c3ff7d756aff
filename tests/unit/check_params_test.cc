// SPDX-License-Identifier: Apache-2.0
// What pointers in kernel parameters decide, and what they leave open. A case stands for a recorded
// program: `updates` becomes a parameter pointer of unknown direction, `reads` a pointer to const.
#include <gtest/gtest.h>

#include <algorithm>

#include "check_texts.h"
#include "trace/case_reader.h"

namespace bohr::test {
namespace {

using Lines = std::vector<std::string>;

void as_params(const Program& program, const std::vector<Op>& ops, std::vector<Access>* accesses) {
  for (const Op& op : ops) {
    if (op.kind != OpKind::kernel) continue;
    for (uint32_t a = op.access_begin; a < op.access_begin + op.access_count; ++a) {
      Access& access = (*accesses)[a];
      access.address = access.range.begin;
      access.source = AccessSource::params;
      access.certainty = Certainty::may;
      if (access.mode == AccessMode::update) access.mode = AccessMode::touch;
      access.range = program.lifetimes[access.lifetime.index()].pieces.front().range;
      access.offset = 0;
    }
  }
}

Program recorded(const std::string& text) {
  auto read = trace::read_case("case 1\n" + text, "test");
  EXPECT_TRUE(read.ok()) << to_string(read.error());
  Program program = std::move(read).value();
  program.recorded = true;
  as_params(program, program.ops, &program.accesses);
  for (Graph& graph : program.graphs) as_params(program, graph.nodes, &graph.accesses);
  return program;
}

struct Out {
  Lines findings;
  Lines candidates;
  Verdict verdict;
};

Out out_of(const Program& program) {
  auto checked = check::check(program, {});
  EXPECT_TRUE(checked.ok());
  Out out;
  out.verdict = std::move(checked).value();
  for (const Finding& finding : out.verdict.findings) out.findings.push_back(told(finding));
  for (const Finding& finding : out.verdict.candidates) out.candidates.push_back(told(finding));
  return out;
}

Out out_of(const std::string& text) { return out_of(recorded(text)); }

const char* const kReuse =
    "stream a\nstream b\nbuffer x 64\n"
    "a: alloc t 64\na: kernel make updates t\na: record e\nb: wait e\nb: kernel use updates t, x\n"
    "a: free t\na: alloc u 64 over t\na: kernel first updates u\na: kernel later updates u\n"
    "a: free u\n";

TEST(Params, AnUnorderedUseAndTheNextFirstAccessIsReuse) {
  const Out out = out_of(kReuse);
  EXPECT_EQ(out.findings, Lines{"WAR use first reuse"});
  EXPECT_EQ(out.candidates, Lines{});
}

TEST(Params, LaterLifetimesOfTheSameBytesAreNotToldAgain) {
  const Out out =
      out_of(std::string(kReuse) + "a: alloc v 64 over u\na: kernel third updates v\na: free v\n");
  EXPECT_EQ(out.findings, Lines{"WAR use first reuse"});
}

TEST(Params, AnotherBufferOfAPairOverTwoGenerationsIsStillTold) {
  const Out out = out_of(
      "stream s1\nstream s2\nstream s3\nbuffer d 32\ns1: alloc b3 16\n"
      "s2: kernel k2 writes b3, d\ns2: free b3\ns3: alloc b4 16 over b3\n"
      "s1: kernel k3 writes b4\ns3: free b4\ns2: alloc b6 16 over b4\n"
      "s3: kernel c12 writes b6, d\n");
  EXPECT_NE(std::find(out.findings.begin(), out.findings.end(), "WAW k2 c12 data"),
            out.findings.end());
}

TEST(Params, ACandidateAgainstTheNextLifetimeHidesNoFindingAgainstALaterOne) {
  Program program = recorded(std::string(kReuse) +
                             "a: alloc v 64 over u\na: kernel third updates v\na: free v\n");
  for (const Op& op : program.ops)
    if (label_of(program, op) == "first" || label_of(program, op) == "later")
      program.accesses[op.access_begin].doubt = Doubt::large_struct;
  EXPECT_EQ(out_of(program).findings, Lines{"WAR use third reuse"});
}

TEST(Params, UnorderedWithItsOwnFirstAccessIsData) {
  const Out out = out_of(
      "stream a\nstream b\nbuffer x 64\na: alloc t 64\na: kernel first updates t\n"
      "b: kernel other updates t\n");
  EXPECT_EQ(out.findings, Lines{"RAW first other data"});
}

TEST(Params, TwoLaterAccessesOfUnknownDirectionAreACandidate) {
  const Out out = out_of(
      "stream a\nstream b\na: alloc t 64\na: kernel first updates t\na: record e\nb: wait e\n"
      "a: kernel p updates t\nb: kernel q updates t\n");
  EXPECT_EQ(out.findings, Lines{});
  EXPECT_EQ(out.candidates, Lines{"RAW p q data"});
  EXPECT_EQ(out.verdict.candidates[0].reasons, Lines{"unknown-direction"});
  EXPECT_EQ(out.verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(out.verdict.coverage[static_cast<size_t>(HazardClass::data)].count, 1);
  EXPECT_TRUE(check::complete_for(out.verdict, {HazardClass::reuse, HazardClass::pool}));
}

TEST(Params, TwoPointersToConstAreNoConflict) {
  const Out out = out_of(
      "stream a\nstream b\na: alloc t 64\na: kernel first updates t\na: record e\nb: wait e\n"
      "a: kernel p reads t\nb: kernel q reads t\n");
  EXPECT_EQ(out.candidates, Lines{});
}

TEST(Params, ABufferWithoutAllocationHasNoFirstAccess) {
  const Out out = out_of(
      "stream a\nstream b\nbuffer t 64\na: kernel first updates t\nb: kernel other updates t\n");
  EXPECT_EQ(out.findings, Lines{});
  EXPECT_EQ(out.candidates.size(), 1u);
}

TEST(Params, AnUnreadKernelMayHaveBeenFirst) {
  Program program = recorded(
      "stream a\nstream b\na: alloc t 64\na: kernel unread\na: kernel first updates t\n"
      "b: kernel other updates t\n");
  for (Op& op : program.ops)
    if (label_of(program, op) == "unread") op.params_unread = true;
  const Out out = out_of(program);
  EXPECT_EQ(out.findings, Lines{});
  EXPECT_EQ(out.candidates.size(), 1u);
}

TEST(Params, AnotherAddressIntoTheBlockIsACandidate) {
  Program program = recorded(
      "stream a\nstream b\na: alloc t 64\na: kernel first updates t\nb: kernel other updates t\n");
  program.accesses.back().address += 8;
  EXPECT_EQ(out_of(program).findings, Lines{});
}

TEST(Params, DoubtfulPointersAreCandidatesOnly) {
  Program program = recorded(kReuse);
  for (const Op& op : program.ops)
    if (label_of(program, op) == "use")
      program.accesses[op.access_begin].doubt = Doubt::large_struct;
  const Out out = out_of(program);
  EXPECT_EQ(out.findings, Lines{});
  ASSERT_FALSE(out.candidates.empty());
  EXPECT_EQ(out.verdict.candidates[0].reasons, Lines{"params-only"});
}

TEST(Params, AnExactWriteMustCoverTheWholeBlock) {
  const std::string before = "stream a\nstream b\nbuffer t 64\na: kernel use updates t\n";
  EXPECT_EQ(out_of(before + "b: fill f t\n").findings, Lines{"WAR use f data"});
  EXPECT_EQ(out_of(before + "b: fill f t[0:32]\n").findings, Lines{});
}

Program with_lost_order(Program program) {
  Diagnostic lost;
  lost.reason = "lost-records";
  lost.loses_order = true;
  program.diagnostics.push_back(lost);
  return program;
}

TEST(Params, PairsAcrossLostOrderAreCandidates) {
  const Out out = out_of(with_lost_order(recorded(kReuse)));
  EXPECT_EQ(out.findings, Lines{});
  EXPECT_EQ(out.verdict.candidates.at(0).reasons, Lines{"lost-records"});
}

// A synchronisation may have been lost.
TEST(Params, FreesAcrossLostOrderAreCandidates) {
  const Program program = recorded(
      "stream a\nstream b\na: alloc t 64\na: kernel make updates t\na: record e\nb: wait e\n"
      "b: kernel use updates t\na: free t\n");
  const Out whole = out_of(program);
  ASSERT_EQ(whole.findings.size(), 1u);
  EXPECT_EQ(whole.verdict.findings[0].cls, HazardClass::lifetime);
  const Out out = out_of(with_lost_order(program));
  EXPECT_EQ(out.findings, Lines{});
  ASSERT_EQ(out.candidates, whole.findings);
  EXPECT_EQ(out.verdict.candidates[0].reasons, Lines{"lost-records"});
}

// The bytes may have been written anew.
TEST(Params, PoolsAcrossLostOrderAreCandidates) {
  auto program = trace::read_case(
      "case 1\nstream s\npool g\nbuffer in 64\nbuffer out 64\n"
      "capture A on s\ns: alloc qa 64 pool g\ns: kernel fa reads in writes qa\nend A\ns: free qa\n"
      "capture B on s\ns: alloc qb 64 pool g over qa\ns: kernel fb reads in writes qb\nend B\n"
      "s: launch B\ns: launch A\ns: kernel use reads qb writes out\n",
      "test");
  ASSERT_TRUE(program.ok());
  const Out whole = out_of(program.value());
  EXPECT_EQ(whole.findings, Lines{"WAW fa fb pool"});
  const Out out = out_of(with_lost_order(program.value()));
  EXPECT_EQ(out.findings, Lines{});
  EXPECT_EQ(out.candidates, whole.findings);
}

TEST(Params, AFreeInsideAFullyReadGraphStands) {
  Program program = recorded(
      "stream a\nstream b\nbuffer x 64\ncapture g on a\n"
      "a: alloc t 64\na: kernel make updates t\na: record e\nb: wait e\nb: kernel use updates t\n"
      "a: free t\nb: record f\na: wait f\nend g\n");
  program = with_lost_order(std::move(program));
  const Out out = out_of(program);
  ASSERT_EQ(out.findings.size(), 1u);
  EXPECT_EQ(out.verdict.findings[0].cls, HazardClass::lifetime);
  program.graphs[0].fully_read = false;
  EXPECT_EQ(out_of(program).findings, Lines{});
}

TEST(Params, PairsInsideAFullyReadGraphStand) {
  Program program = recorded(
      "stream a\nstream b\nbuffer x 64\ncapture g on a\n"
      "a: alloc t 64\na: kernel make updates t\na: record e\nb: wait e\nb: kernel use updates t\n"
      "a: free t\na: alloc u 64 over t\na: kernel first updates u\nend g\n");
  program = with_lost_order(std::move(program));
  EXPECT_EQ(out_of(program).findings, Lines{"WAR use#1 first#2 reuse"});
  program.graphs[0].fully_read = false;
  EXPECT_EQ(out_of(program).findings, Lines{});
}

TEST(Recorded, AReturnedCallIsBeforeACallEnteredLater) {
  Program program = recorded(
      "stream a\nstream b\nthread t\na: alloc x 64\na: kernel w updates x\nhost: sync a\n"
      "@t b: kernel r updates x\n");
  for (size_t i = 0; i < program.ops.size(); ++i) {
    program.ops[i].enter = static_cast<int64_t>(2 * i);
    program.ops[i].exit = static_cast<int64_t>(2 * i + 1);
  }
  const auto loose = check::check(program, {});
  ASSERT_TRUE(loose.ok());
  EXPECT_TRUE(loose.value().findings.empty());
  EXPECT_EQ(loose.value().assumptions, Lines{"host-order-observed"});
  check::Options strict;
  strict.strict_threads = true;
  const auto dropped = check::check(program, strict);
  ASSERT_TRUE(dropped.ok());
  EXPECT_EQ(dropped.value().findings.size(), 1u);
  // A sync that has not returned when the other thread's call is entered orders nothing.
  for (Op& op : program.ops)
    if (op.kind == OpKind::sync_stream) op.exit = 1000;
  const auto overlapping = check::check(program, {});
  ASSERT_TRUE(overlapping.ok());
  EXPECT_EQ(overlapping.value().findings.size(), 1u);
}

TEST(Recorded, TheDriverHandsMemoryOutAgainWhenWorkIsDone) {
  Program program = recorded(
      "stream a\nstream b\na: alloc t 64\na: kernel make updates t\na: record e\nb: wait e\n"
      "b: kernel use updates t\na: free t\na: alloc u 64 over t\na: kernel first updates u\n");
  EXPECT_EQ(out_of(program).findings.size(), 1u);
  for (Lifetime& lifetime : program.lifetimes) lifetime.driver = true;
  const Out out = out_of(program);
  EXPECT_EQ(out.findings, Lines{});
  EXPECT_EQ(out.verdict.assumptions, Lines{"driver-reuse"});
}

TEST(Program, ACyclicGraphIsRefused) {
  Program program = recorded("stream a\ncapture g on a\na: kernel p\na: kernel q\nend g\n");
  program.graphs[0].edges.push_back({NodeId(1), NodeId(0), EdgeKind::full});
  const auto verdict = check::check(program, {});
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().code, "graph-cycle");
  program.graphs[0].edges.back().to = NodeId(7);
  EXPECT_EQ(check::check(program, {}).error().code, "graph-edge");
}

TEST(Program, AccessesOutsideTheirLifetimeAreRefused) {
  Program program = recorded("stream a\nbuffer x 64\na: kernel p updates x\n");
  program.accesses[0].range.end += 1;
  EXPECT_EQ(check::check(program, {}).error().code, "program-range");
  program.accesses[0].lifetime = LifetimeId(9);
  EXPECT_EQ(check::check(program, {}).error().code, "program-reference");
}

}  // namespace
}  // namespace bohr::test

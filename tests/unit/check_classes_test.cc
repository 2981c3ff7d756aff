// SPDX-License-Identifier: Apache-2.0
// Classes, latent lifetimes, pools, causes and suppressions.
#include <gtest/gtest.h>

#include "check_texts.h"
#include "trace/case_reader.h"

namespace bohr::test {
namespace {

using Lines = std::vector<std::string>;

TEST(Classes, AtomicsDoNotConflictAmongThemselves) {
  const std::string memory = "stream a\nstream b\nbuffer x 64\n";
  EXPECT_EQ(findings_of(memory + "a: kernel p atomics x\nb: kernel q atomics x\n"), Lines{});
  EXPECT_EQ(findings_of(memory + "a: kernel p atomics x\nb: kernel q reads x\n"),
            Lines{"RAW p q data"});
}

TEST(Classes, DisjointRangesDoNotConflict) {
  const std::string memory = "stream a\nstream b\nbuffer x 64\n";
  EXPECT_EQ(findings_of(memory + "a: kernel p writes x[0:32]\nb: kernel q writes x[32:64]\n"),
            Lines{});
  EXPECT_EQ(findings_of(memory + "a: kernel p writes x[0:33]\nb: kernel q writes x[32:64]\n"),
            Lines{"WAW p q data"});
}

TEST(Classes, APairOnSeveralRangesIsOneFinding) {
  const Verdict verdict = verdict_of(
      "stream a\nstream b\nbuffer x 64\nbuffer y 64\nview v of y[0:8]\n"
      "a: kernel p writes x, y\nb: kernel q reads x, y[4:8]\n");
  ASSERT_EQ(verdict.findings.size(), 1u);
  EXPECT_EQ(verdict.findings[0].names, (Lines{"x", "y", "v"}));
}

TEST(Classes, ExternalBeforeHostBeforeLaunch) {
  EXPECT_EQ(findings_of("agent nic\nbuffer p 64 pinned\nhost: touch h writes p\n"
                        "nic: touch n reads p\n"),
            Lines{"RAW h n external"});
  EXPECT_EQ(findings_of("stream s\nbuffer p 64 pinned\nbuffer x 64\n"
                        "capture g on s\ns: copy up from p to x\nend g\ns: launch g\n"
                        "host: touch h writes p\n"),
            Lines{"WAR up h host"});
}

TEST(Classes, APinnedSourceRewrittenByAStreamOpIsHost) {
  EXPECT_EQ(findings_of("stream a\nstream b\nbuffer p 64 pinned\nbuffer x 64\n"
                        "a: copy up from p to x\nb: callback refill writes p\n"),
            Lines{"WAR up refill host"});
  EXPECT_EQ(findings_of("stream a\nstream b\nbuffer p 64 pinned\nbuffer x 64\n"
                        "b: callback refill writes p\na: copy up from p to x\n"),
            Lines{"RAW refill up data"});
}

TEST(Classes, AFreedBlockNotYetReusedIsLatent) {
  const std::string text =
      "stream a\nstream b\nbuffer x 64\na: alloc t 64\na: kernel w writes t\na: record e\n"
      "b: wait e\nb: kernel r reads t writes x\na: free t\n";
  const Verdict verdict = verdict_of(text);
  ASSERT_EQ(verdict.findings.size(), 1u);
  EXPECT_EQ(told(verdict.findings[0]), "WAR r t lifetime");
  EXPECT_TRUE(verdict.findings[0].latent);
  EXPECT_TRUE(verdict.causes.at(0).latent);
  EXPECT_EQ(verdict.outcome, Outcome::findings);
}

TEST(Classes, OnlyReusedBytesLeaveTheLatentClass) {
  EXPECT_EQ(findings_of("stream a\nstream b\nbuffer x 64\na: alloc t 64\na: kernel w writes t\n"
                        "a: record e\nb: wait e\nb: kernel lo reads t[0:32] writes x\n"
                        "b: kernel hi reads t[32:64] writes x\na: free t\n"
                        "a: alloc u 32 over t\na: kernel v writes u\na: free u\n"),
            (Lines{"WAR lo v reuse", "WAR hi t lifetime"}));
}

TEST(Classes, UnknownKernelsLeaveEveryClassOpen) {
  const Verdict verdict = verdict_of("stream s\nbuffer x 64\ns: kernel k writes x unknown\n");
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  for (const Coverage& coverage : verdict.coverage)
    EXPECT_EQ(coverage.reasons, Lines{"unknown-access"});
}

const char* const kSharedPool =
    "stream s\npool g\nbuffer in 64\nbuffer out 64\n"
    "capture A on s\ns: alloc qa 64 pool g\ns: kernel fa reads in writes qa\nend A\ns: free qa\n"
    "capture B on s\ns: alloc qb 64 pool g over qa\ns: kernel fb reads in writes qb\nend B\n";

TEST(Pools, ReplayInAnotherOrderClobbersTheYoungerBlock) {
  EXPECT_EQ(findings_of(std::string(kSharedPool) +
                        "s: launch B\ns: launch A\ns: kernel use reads qb writes out\n"),
            Lines{"WAW fa fb pool"});
}

TEST(Pools, ReplayInCaptureOrderIsClean) {
  EXPECT_EQ(findings_of(std::string(kSharedPool) +
                        "s: launch A\ns: launch B\ns: kernel use reads qb writes out\n"),
            Lines{});
}

TEST(Pools, LaunchesInARowAreCheckedOnceAndLateHarmIsSeen) {
  EXPECT_EQ(findings_of(std::string(kSharedPool) +
                        "s: launch B\ns: launch B\ns: launch B\ns: launch B\ns: launch A\n"
                        "s: kernel use reads qb writes out\n"),
            Lines{"WAW fa fb pool"});
}

TEST(Pools, TheSecondSideConflictsWithTheFirst) {
  EXPECT_EQ(findings_of("stream s1\nbuffer dev1 64\nbuffer b3 32\ns1: alloc b2 32\n"
                        "capture g0 on s1\ns1: copy c6 from b3 to b2[16:32]\nend g0\n"
                        "s1: free b2\ns1: alloc b4 64 over b2\ns1: kernel k11 writes b4[32:48]\n"
                        "s1: copy c17 from dev1 to b4\ns1: launch g0\n"),
            Lines{"WAW c6 c17 pool"});
}

TEST(Pools, TheLastOfThreeLaunchesIsTheOneThatIsLeft) {
  const Verdict verdict = verdict_of(
      "stream s0\nstream s1\nstream s2\nbuffer dev2 32\ns0: alloc b4 64\ncapture g0 on s0\n"
      "s0: kernel k3 updates b4\nend g0\ns1: free b4\ns2: alloc b5 64 over b4\n"
      "capture g2 on s0\ns0: kernel k19 updates b5[16:64]\nend g2\n"
      "s1: launch g2\ns2: launch g2\ns0: launch g2\ns2: launch g0\n");
  for (const Finding& finding : verdict.findings) EXPECT_EQ(finding.cls, HazardClass::launch);
}

TEST(Pools, AnEarlyWriteComesBeforeTheRestReads) {
  EXPECT_EQ(findings_of("stream s0\nstream s1\npool p\ncapture g0 on s1\n"
                        "s1: alloc b4 64 pool p\ns1: fill f4 b4[0:48]\ns1: alloc b5 48 pool p\n"
                        "s1: free b4\nend g0\ns1: alloc b7 16 over b4+16\n"
                        "capture g2 on s1\ns1: copy c13 from b5[0:32] to b7\nend g2\n"
                        "s0: launch g2\ns0: launch g0\n"
                        "s0: kernel k28 atomics b7 early writes b7 pdl\n"),
            Lines{});
}

TEST(Classes, ASourceReadIsUnorderedWithALaunchOfItsOwnStream) {
  EXPECT_EQ(findings_of("stream s0 blocking\nbuffer dev1 16\nbuffer cpu1 32 pageable\n"
                        "capture g0 on s0\ns0: copy c9 from dev1 to cpu1[0:16]\nend g0\n"
                        "s0: launch g0\ns0: copy c21 from cpu1[0:16] to dev1\n"),
            Lines{"RAW c9 c21 launch"});
}

TEST(Pools, AClobberedOutputIsNamedByTheLaunchThatIsLeft) {
  EXPECT_EQ(findings_of("stream s3\nbuffer y 64\ns3: alloc b4 64\ncapture g0 on s3\n"
                        "s3: kernel k4 writes b4\nend g0\ns3: free b4\n"
                        "s3: alloc b6 16 over b4\ns3: kernel k18 writes b6\n"
                        "s3: launch g0\ns3: launch g0\ns3: launch g0\n"),
            Lines{"WAW k4@3 k18 pool"});
}

TEST(Classes, LaunchesInTurnsMissTwoOrders) {
  EXPECT_EQ(findings_of("stream s0\nstream s1\nstream s2\nbuffer dev1 16\n"
                        "capture g0 on s0\ns0: kernel k3 updates dev1\nend g0\ns1: launch g0\n"
                        "capture g2 on s2\ns2: kernel k11 updates dev1\nend g2\ns2: launch g2\n"
                        "s0: launch g0\n"),
            (Lines{"RAW k3 k11 launch", "RAW k11 k3@2 launch"}));
}

TEST(Classes, ABlockOfACaptureMayBeFreedTooEarlyAfterIt) {
  EXPECT_EQ(
      findings_of(
          "stream s0\nstream s1\npool p\nbuffer dev1 32\n"
          "capture g0 on s1\ns1: alloc b2 48 pool p\ns1: copy c6 from b2[32:48] to dev1[0:16]\n"
          "end g0\ns0: launch g0\ns1: free b2\n"),
      Lines{"WAR c6 b2 lifetime"});
}

TEST(Classes, AUseWithSomeBytesReusedIsNoLatentOne) {
  EXPECT_EQ(findings_of("stream s1\nstream s2\nstream s0\ns2: alloc b2 48\n"
                        "s1: kernel k2 atomics b2[16:48], b2[0:16]\ns2: free b2\n"
                        "s0: alloc b3 16 over b2\n"),
            Lines{});
}

TEST(Causes, OneLifetimeIsOneCauseHoweverManyPairs) {
  const Verdict verdict = verdict_of(
      "stream a\nstream b\nbuffer x 64\nbuffer y 64\na: alloc t 64\na: kernel w writes t\n"
      "a: record e\nb: wait e\nb: kernel r1 reads t writes x\nb: kernel r2 reads t writes y\n"
      "a: free t\na: alloc u 64 over t\na: kernel v1 writes u\na: kernel v2 updates u\n");
  EXPECT_EQ(verdict.findings.size(), 4u);
  ASSERT_EQ(verdict.causes.size(), 1u);
  EXPECT_EQ(verdict.causes[0].places, 4);
}

TEST(Causes, AMissingEdgeImpliesOthers) {
  const Verdict verdict = verdict_of(
      "stream a\nstream b\nbuffer x 64\nbuffer y 64\n"
      "a: kernel w1 writes x\na: kernel w2 writes y\nb: kernel r1 reads x, y\nb: kernel r2 reads "
      "x\n");
  EXPECT_EQ(verdict.findings.size(), 3u);
  ASSERT_EQ(verdict.causes.size(), 1u);
}

TEST(Causes, PairsBeyondTheLimitAreCounted) {
  std::string text = "stream a\nstream b\nbuffer x 64\n";
  for (int i = 0; i < 40; ++i) text += "a: kernel a" + std::to_string(i) + " writes x\n";
  for (int i = 0; i < 40; ++i) text += "b: kernel b" + std::to_string(i) + " writes x\n";
  auto program = trace::read_case("case 1\n" + text, "test");
  ASSERT_TRUE(program.ok());
  check::Options options;
  options.listed_per_cause = 100;
  const auto verdict = check::check(program.value(), options);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict.value().findings.size(), 100u);
  int64_t places = 0;
  for (const Cause& cause : verdict.value().causes) places += cause.places;
  EXPECT_EQ(places, 1600);
}

TEST(Order, FactsSayWhatIsKnownAndNeeded) {
  const Verdict verdict = verdict_of(
      "stream a\nstream b\nbuffer x 64\nbuffer y 64\n"
      "a: kernel early writes y\na: record e\na: kernel w writes x\nb: wait e\n"
      "b: kernel r reads x\na: record f\nb: wait f\nb: kernel late reads x\n");
  ASSERT_EQ(verdict.findings.size(), 1u);
  const OrderFacts& order = verdict.findings[0].order;
  EXPECT_EQ(order.stream, "b");
  EXPECT_EQ(order.other_stream, "a");
  EXPECT_EQ(order.needed, "w");
  EXPECT_EQ(order.known, "record");
  EXPECT_EQ(order.join, "wait");
}

TEST(Classes, SaysHowMuchWasLookedAt) {
  const Verdict verdict = verdict_of(
      "stream s\nagent nic\nbuffer x 64\nbuffer p 64 pinned\n"
      "s: alloc t 64\ns: kernel w writes t\ns: free t\ns: alloc u 64 over t\n"
      "capture g on s\ns: kernel r reads u\nend g\ns: copy up from p to x\n"
      "s: launch g\ns: launch g\nnic: touch n reads p\n");
  const auto examined = [&](HazardClass cls) {
    return verdict.coverage[static_cast<size_t>(cls)].examined;
  };
  EXPECT_EQ(examined(HazardClass::data), 5);
  EXPECT_EQ(examined(HazardClass::reuse), 2);
  EXPECT_EQ(examined(HazardClass::lifetime), 1);
  EXPECT_EQ(examined(HazardClass::pool), 2);
  EXPECT_EQ(examined(HazardClass::launch), 2);
  EXPECT_EQ(examined(HazardClass::host), 2);
  EXPECT_EQ(examined(HazardClass::external), 1);
}

TEST(Suppressions, MatchPropertiesAndAreCounted) {
  const std::string text =
      "case 1\nstream a\nstream b\nbuffer x 64\na: kernel w writes x\nb: kernel r reads x\n";
  const auto program = trace::read_case(text, "test");
  ASSERT_TRUE(program.ok());
  auto verdict = check::check(program.value(), {});
  ASSERT_TRUE(verdict.ok());
  check::suppress(program.value(), {{"class=reuse", "not this", 0}, {"first=w second=*", "ok", 0}},
                  &verdict.value());
  EXPECT_TRUE(verdict.value().findings.at(0).suppressed);
  EXPECT_TRUE(verdict.value().causes.at(0).suppressed);
  EXPECT_EQ(verdict.value().findings.at(0).suppression, 1);
  EXPECT_EQ(verdict.value().suppressions[0].used, 0);
  EXPECT_EQ(verdict.value().suppressions[1].used, 1);
  EXPECT_EQ(verdict.value().outcome, Outcome::clean);
}

}  // namespace
}  // namespace bohr::test

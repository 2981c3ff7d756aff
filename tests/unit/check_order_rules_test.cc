// SPDX-License-Identifier: Apache-2.0
// Each rule of order, seen through the hazard that it removes or leaves.
#include <gtest/gtest.h>

#include "check_texts.h"

namespace bohr::test {
namespace {

using Lines = std::vector<std::string>;

const char* const kTwoStreams = "stream a\nstream b\nbuffer x 64\nbuffer y 64\n";

TEST(OrderRules, TwoStreamsAreUnordered) {
  EXPECT_EQ(findings_of(std::string(kTwoStreams) +
                        "a: kernel w writes x\nb: kernel r reads x writes y\n"),
            Lines{"RAW w r data"});
}

TEST(OrderRules, AWaitIsBoundToTheRecordAtItsTime) {
  const std::string late = std::string(kTwoStreams) +
                           "a: record e\na: kernel w writes x\nb: wait e\n"
                           "a: record e\nb: kernel r reads x writes y\n";
  EXPECT_EQ(findings_of(late), Lines{"RAW w r data"});
  const std::string right = std::string(kTwoStreams) +
                            "a: record e\na: kernel w writes x\na: record e\n"
                            "b: wait e\nb: kernel r reads x writes y\n";
  EXPECT_EQ(findings_of(right), Lines{});
}

TEST(OrderRules, AWaitOnAnEventNeverRecordedOrdersNothing) {
  EXPECT_EQ(findings_of(std::string(kTwoStreams) +
                        "a: kernel w writes x\nb: wait e\nb: kernel r reads x writes y\n"),
            Lines{"RAW w r data"});
}

TEST(OrderRules, LegacyStreamSynchronisesWithBlockingStreamsOnly) {
  const std::string body =
      "n: kernel w writes x\ns: kernel r reads x writes y\n"
      "n: kernel again reads y writes x\n";
  const std::string buffers = "buffer x 64\nbuffer y 64\n";
  EXPECT_EQ(findings_of("stream n legacy\nstream s blocking\n" + buffers + body), Lines{});
  EXPECT_EQ(findings_of("stream n legacy\nstream s per-thread\n" + buffers + body), Lines{});
  EXPECT_EQ(findings_of("stream n legacy\nstream s\n" + buffers + body).size(), 2u);
  EXPECT_EQ(findings_of("stream n blocking\nstream s blocking\n" + buffers + body).size(), 2u);
}

TEST(OrderRules, OneExecNeverOverlapsItselfButTwoMay) {
  const std::string graph = "capture g on a\na: kernel w writes x\nend g\n";
  const std::string other = "capture h on a\na: kernel v writes x\nend h\n";
  EXPECT_EQ(findings_of(kTwoStreams + graph + "a: launch g\nb: launch g\n"), Lines{});
  EXPECT_EQ(findings_of(kTwoStreams + graph + other + "a: launch g\nb: launch h\n"),
            Lines{"WAW w v launch"});
}

TEST(OrderRules, LaunchesAreCountedInLabels) {
  EXPECT_EQ(findings_of(std::string(kTwoStreams) +
                        "capture g on a\na: kernel w writes x\nend g\n"
                        "a: launch g\na: record e\nb: wait e\nb: kernel r reads x writes y\n"
                        "a: launch g\na: launch g\n"),
            Lines{"WAR r w@2 launch"});
}

TEST(OrderRules, HostSyncOrdersWhatTheThreadDoesNext) {
  const std::string before = std::string(kTwoStreams) + "a: kernel w writes x\n";
  const std::string after = "b: kernel r reads x writes y\n";
  EXPECT_EQ(findings_of(before + "host: sync a\n" + after), Lines{});
  EXPECT_EQ(findings_of(before + "host: sync device\n" + after), Lines{});
  EXPECT_EQ(findings_of(before + "host: sync b\n" + after), Lines{"RAW w r data"});
  EXPECT_EQ(findings_of("thread t\n" + before + "host: sync a\n@t " + after),
            Lines{"RAW w r data"});
  EXPECT_EQ(
      findings_of("thread t\n" + before + "host: sync a\nhost: signal k\nt: await k\n@t " + after),
      Lines{});
}

TEST(OrderRules, PageableCopiesHoldTheThread) {
  const std::string memory = "stream s\nbuffer p 64 pageable\nbuffer x 64\n";
  EXPECT_EQ(findings_of(memory + "s: copy up from p to x\nhost: touch next writes p\n"), Lines{});
  EXPECT_EQ(findings_of(memory + "s: kernel w writes x\ns: copy down from x to p\n"
                                 "host: touch look reads p\n"),
            Lines{});
  EXPECT_EQ(findings_of("stream s\nbuffer p 64 pinned\nbuffer x 64\n"
                        "s: copy up from p to x\nhost: touch next writes p\n"),
            Lines{"WAR up next host"});
}

TEST(OrderRules, ThreadDoesNotLearnOfEarlierStreamWorkFromAPageableSource) {
  EXPECT_EQ(findings_of("stream s\nbuffer p 64 pageable\nbuffer x 64\nbuffer z 64 pinned\n"
                        "s: kernel w writes z\ns: copy up from p to x\nhost: touch look reads z\n"),
            Lines{"RAW w look host"});
}

TEST(OrderRules, EarlyPartsReachBackThroughARun) {
  const std::string memory = "stream s\nbuffer x 64\nbuffer y 64\nbuffer z 64\n";
  EXPECT_EQ(findings_of(memory + "s: kernel k1 writes x\ns: kernel k2 writes y pdl\n"
                                 "s: kernel k3 writes z early reads x pdl\n"),
            Lines{"RAW k1 k3 data"});
  EXPECT_EQ(findings_of(memory + "s: kernel k1 writes x\ns: kernel k2 writes y\n"
                                 "s: kernel k3 writes z early reads x pdl\n"),
            Lines{});
  EXPECT_EQ(findings_of(memory + "s: kernel k1 writes x\ns: fill f y\n"
                                 "s: kernel k3 writes z early reads y pdl\n"),
            Lines{});
}

TEST(OrderRules, TheLegacyStreamHasEarlyPartsToo) {
  EXPECT_EQ(findings_of("stream n legacy\nbuffer x 64\n"
                        "n: kernel k1 updates x\nn: kernel k2 early writes x pdl\n"),
            Lines{"WAW k1 k2 data"});
}

TEST(OrderRules, AFreeIsJudgedOnTheOwnerStream) {
  const std::string memory = "stream a\nstream b\nbuffer x 64\n";
  EXPECT_EQ(findings_of(memory + "b: alloc t 64\na: kernel k reads t writes x\na: free t\n"),
            Lines{"WAR k t lifetime"});
  EXPECT_EQ(findings_of(memory + "b: alloc t 64\nb: kernel k reads t writes x\na: free t\n"),
            Lines{});
}

TEST(OrderRules, AUseThatReadsAndWritesAFreedBlockIsTwoKinds) {
  EXPECT_EQ(findings_of("stream a\nstream b\nb: alloc t 48\n"
                        "a: copy c from t[32:48] to t[16:32]\nb: free t\n"),
            Lines{"WAW c t lifetime"});
}

TEST(OrderRules, ACompletionStillFollowsThePredecessor) {
  EXPECT_EQ(findings_of("stream s\nbuffer x 64\nbuffer y 64\n"
                        "s: kernel k1 writes x\ns: kernel k2 early writes y pdl\n"
                        "s: kernel k3 reads x, y\n"),
            Lines{});
}

TEST(OrderRules, TheAllocatorWaitsForStreamsItWasToldOf) {
  const std::string before =
      "stream a\nstream b\nbuffer x 64\na: alloc t 64\na: kernel w writes t\na: record e\n"
      "b: wait e\nb: kernel r reads t writes x\n";
  const std::string after = "a: free t\na: alloc u 64 over t\na: kernel v writes u\na: free u\n";
  EXPECT_EQ(findings_of(before + after), Lines{"WAR r v reuse"});
  EXPECT_EQ(findings_of(before + "b: uses t\n" + after), Lines{});
}

TEST(OrderRules, UsesCoversOnlyWorkIssuedBeforeTheFree) {
  EXPECT_EQ(findings_of("stream a\nstream b\nbuffer x 64\na: alloc t 64\na: kernel w writes t\n"
                        "a: record e\nb: wait e\nb: uses t\na: free t\n"
                        "b: kernel r reads t writes x\na: alloc u 64 over t\n"
                        "a: kernel v writes u\na: free u\n"),
            Lines{"WAR r v reuse"});
}

}  // namespace
}  // namespace bohr::test

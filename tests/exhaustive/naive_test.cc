// SPDX-License-Identifier: Apache-2.0
// The naive check itself: each rule of the case format with a text so small that the right answer
// can be read off, and every case of the corpus.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.h"
#include "exhaustive/naive_check.h"
#include "exhaustive/random_case.h"
#include "trace/case_reader.h"

namespace bohr::naive {
namespace {

constexpr const char* kDeclarations = R"(case 1
stream a
stream b
stream c
stream legacy legacy
stream blocking blocking
stream thread per-thread
thread t
agent nic
pool p
buffer x 64
buffer y 64
buffer z 64
buffer pin 64 pinned
buffer cpu 64 pageable
)";

std::string findings_in(const std::string& actions) {
  const Result<Program> program = trace::read_case(kDeclarations + actions, "test");
  if (!program.ok()) return to_string(program.error());
  std::string text;
  for (const NaiveFinding& finding : findings_of(program.value())) {
    text += describe(finding) + "\n";
  }
  return text;
}

TEST(NaiveOrder, StreamsAreInOrderAndApart) {
  EXPECT_EQ(findings_in("a: kernel w writes x\na: kernel r reads x\n"), "");
  EXPECT_EQ(findings_in("a: kernel w writes x\nb: kernel r reads x\n"), "RAW w r class data\n");
  EXPECT_EQ(findings_in("a: kernel r reads x\nb: kernel w writes x\n"), "WAR r w class data\n");
  EXPECT_EQ(findings_in("a: kernel v writes x\nb: kernel w writes x\n"), "WAW v w class data\n");
  EXPECT_EQ(findings_in("a: kernel r reads x\nb: kernel s reads x\n"), "");
  EXPECT_EQ(findings_in("a: kernel v writes x[0:8]\nb: kernel w writes x[8:16]\n"), "");
}

TEST(NaiveOrder, AWaitIsBoundToTheNewestRecordWhenItIsIssued) {
  EXPECT_EQ(findings_in("a: kernel w writes x\na: record e\nb: wait e\nb: kernel r reads x\n"), "");
  EXPECT_EQ(findings_in("b: wait e\na: kernel w writes x\na: record e\nb: kernel r reads x\n"),
            "RAW w r class data\n");
  EXPECT_EQ(findings_in("a: record e\na: kernel w writes x\nb: wait e\na: record e\n"
                        "b: kernel r reads x\n"),
            "RAW w r class data\n");
}

TEST(NaiveOrder, TheLegacyStreamSynchronisesWithBlockingOnes) {
  for (const char* other : {"blocking", "thread"}) {
    const std::string stream = other;
    EXPECT_EQ(findings_in("legacy: kernel w writes x\n" + stream + ": kernel r reads x\n"), "");
    EXPECT_EQ(findings_in(stream + ": kernel w writes x\nlegacy: kernel r reads x\n"), "");
  }
  EXPECT_EQ(findings_in("legacy: kernel w writes x\na: kernel r reads x\n"),
            "RAW w r class data\n");
  EXPECT_EQ(findings_in("blocking: kernel w writes x\nthread: kernel r reads x\n"),
            "RAW w r class data\n");
  EXPECT_EQ(
      findings_in("blocking: kernel w writes x\nlegacy: kernel k\nthread: kernel r reads x\n"), "");
}

TEST(NaiveOrder, OnlyTheRestOfAProgrammaticKernelFollowsItsPredecessor) {
  const std::string write = "a: kernel w writes x\n";
  EXPECT_EQ(findings_in(write + "a: kernel r reads x pdl\n"), "");
  EXPECT_EQ(findings_in(write + "a: kernel r early reads x pdl\n"), "RAW w r class data\n");
  EXPECT_EQ(findings_in(write + "a: kernel n\na: kernel r early reads x pdl\n"), "");
  EXPECT_EQ(findings_in(write + "a: kernel n pdl\na: kernel r early reads x pdl\n"),
            "RAW w r class data\n");
  EXPECT_EQ(findings_in(write + "a: kernel n pdl\na: kernel r reads x\n"), "");
  EXPECT_EQ(findings_in(write + "a: wait e\na: kernel r early reads x pdl\n"), "");
  EXPECT_EQ(findings_in(write + "a: fill f y\na: kernel r early reads x pdl\n"), "");
  EXPECT_EQ(findings_in(write + "a: record e\na: kernel r early reads x pdl\n"),
            "RAW w r class data\n");
  // Its completion follows its predecessor's, though it waits for nothing itself.
  EXPECT_EQ(findings_in(write + "a: kernel n early reads y pdl\na: record e\nb: wait e\n"
                                "b: kernel r reads x\n"),
            "");
}

TEST(NaiveOrder, GraphsFollowTheirLaunch) {
  const std::string graph = "capture g on a\na: kernel n reads x writes y\nend g\n";
  EXPECT_EQ(findings_in(graph + "a: kernel w writes x\na: launch g\na: kernel r reads y\n"), "");
  EXPECT_EQ(findings_in(graph + "b: kernel w writes x\na: launch g\n"), "RAW w n class launch\n");
  EXPECT_EQ(findings_in(graph + "a: launch g\nb: launch g\n"), "");
  EXPECT_EQ(findings_in(graph + "a: launch g\nb: launch g\na: kernel r reads y\n"),
            "RAW n@2 r class launch\n");
  const std::string two = graph + "capture h on b\nb: kernel m reads y\nend h\n";
  EXPECT_EQ(findings_in(two + "a: launch g\nb: launch h\n"), "RAW n m class launch\n");
  EXPECT_EQ(findings_in(two + "a: launch g\na: launch h\n"), "");
}

TEST(NaiveOrder, OnePairInOneGraphIsOneFinding) {
  const std::string graph =
      "capture g on a\na: record f\nb: wait f\na: kernel w writes x\nb: kernel r reads x\n"
      "b: record j\na: wait j\nend g\n";
  EXPECT_EQ(findings_in(graph + "a: launch g\na: launch g\na: launch g\n"), "RAW w r class data\n");
  EXPECT_EQ(findings_in(graph), "");
}

TEST(NaiveOrder, HostThreads) {
  const std::string write = "a: kernel w writes pin\n";
  const std::string race = "RAW w r class host\n";
  EXPECT_EQ(findings_in("host: touch r reads pin\n" + write), "");
  EXPECT_EQ(findings_in(write + "host: touch r reads pin\n"), race);
  EXPECT_EQ(findings_in(write + "host: sync a\nhost: touch r reads pin\n"), "");
  EXPECT_EQ(findings_in(write + "host: sync b\nhost: touch r reads pin\n"), race);
  EXPECT_EQ(findings_in(write + "host: sync device\nhost: touch r reads pin\n"), "");
  EXPECT_EQ(findings_in("host: sync device\n" + write + "host: touch r reads pin\n"), race);
  EXPECT_EQ(findings_in(write + "a: record e\nhost: sync e\nhost: touch r reads pin\n"), "");
  EXPECT_EQ(findings_in("a: record e\n" + write + "host: sync e\nhost: touch r reads pin\n"), race);
  EXPECT_EQ(findings_in(write + "host: sync a\nt: touch r reads pin\n"), race);
  EXPECT_EQ(findings_in(write + "host: sync a\nhost: signal m\nt: await m\nt: touch r reads pin\n"),
            "");
  EXPECT_EQ(findings_in("@t a: kernel w writes pin\nt: sync a\nt: touch r reads pin\n"), "");
}

TEST(NaiveOrder, Agents) {
  const std::string race = "WAR r w class external\n";
  const std::string write = "a: kernel w writes x\n";
  EXPECT_EQ(findings_in("nic: touch r reads x\n" + write), race);
  EXPECT_EQ(findings_in("nic: touch r reads x\nnic: signal m\nhost: await m\n" + write), "");
  EXPECT_EQ(findings_in("nic: signal m\nnic: touch r reads x\nhost: await m\n" + write), race);
  EXPECT_EQ(findings_in("nic: touch r reads x\nnic: signal m\nt: await m\n" + write), race);
}

TEST(NaiveOrder, PageableCopies) {
  const std::string up = "a: copy up from cpu to x\n";
  EXPECT_EQ(findings_in(up + "host: touch w writes cpu\n"), "");
  EXPECT_EQ(findings_in(up + "t: touch w writes cpu\n"), "WAR up w class host\n");
  EXPECT_EQ(findings_in("a: callback w writes cpu\n" + up), "RAW w up class data\n");
  EXPECT_EQ(findings_in(up + "host: touch r reads x\n"), "RAW up r class host\n");
  const std::string down = "a: copy down from x to cpu\n";
  EXPECT_EQ(findings_in(down + "host: touch r reads cpu\n"), "");
  EXPECT_EQ(findings_in(down + "t: touch r reads cpu\n"), "RAW down r class host\n");
}

TEST(NaiveCheck, ARewrittenPinnedSourceIsClassHost) {
  EXPECT_EQ(findings_in("a: copy up from pin to x\nhost: touch w writes pin\n"),
            "WAR up w class host\n");
  EXPECT_EQ(findings_in("a: copy up from pin to x\nb: kernel w writes pin\n"),
            "WAR up w class host\n");
  EXPECT_EQ(findings_in("a: kernel w writes pin\nb: copy up from pin to x\n"),
            "RAW w up class data\n");
}

TEST(NaiveCheck, AtomicsDoNotConflictWithEachOther) {
  EXPECT_EQ(findings_in("a: kernel v atomics x\nb: kernel w atomics x\n"), "");
  EXPECT_EQ(findings_in("a: kernel v atomics x\nb: kernel w reads x\n"), "RAW v w class data\n");
  EXPECT_EQ(findings_in("a: kernel v atomics x\nb: kernel w writes x\n"), "WAW v w class data\n");
}

TEST(NaiveCheck, ReuseAndLifetime) {
  const std::string used = "a: alloc m 64\na: record e\nb: wait e\nb: kernel r reads m\n";
  const std::string again = "a: alloc n 32 over m\na: kernel w writes n\n";
  EXPECT_EQ(findings_in(used + "a: free m\n"), "WAR r m class lifetime\n");
  EXPECT_EQ(findings_in(used + "a: free m\n" + again), "WAR r w class reuse\n");
  EXPECT_EQ(findings_in(used + "b: uses m\na: free m\n"), "");
  EXPECT_EQ(findings_in(used + "b: uses m\na: free m\n" + again), "");
  EXPECT_EQ(findings_in(used + "b: record f\na: wait f\na: free m\n" + again), "");
  EXPECT_EQ(findings_in(used + "host: sync b\na: free m\n"), "");
  EXPECT_EQ(findings_in(used + "t: sync b\na: free m\n"), "WAR r m class lifetime\n");
  EXPECT_EQ(findings_in(used + "a: free m\nb: record f\na: wait f\n" + again),
            "");  // the reuse is ordered after all, and its bytes are reused
  EXPECT_EQ(findings_in(used), "");
}

TEST(NaiveCheck, LifetimeInsideACapture) {
  const std::string used =
      "capture g on a\na: alloc m 64 pool p\na: record e\nb: wait e\nb: kernel r updates m\n";
  const std::string end = "b: record f\na: wait f\nend g\n";
  EXPECT_EQ(findings_in(used + "a: free m\n" + end + "a: launch g\na: launch g\n"),
            "WAW r m class lifetime\n");
  EXPECT_EQ(findings_in(used + "b: uses m\na: free m\n" + end + "a: launch g\n"), "");
  EXPECT_EQ(findings_in(used + "b: record f\na: wait f\na: free m\nend g\na: launch g\n"), "");
}

TEST(NaiveCheck, Pool) {
  const std::string graph =
      "capture g on a\na: alloc m 64 pool p\na: kernel w writes m\nend g\na: launch g\n";
  const std::string other = "a: free m\na: alloc n 64 over m\na: kernel v writes n\n";
  EXPECT_EQ(findings_in(graph + other), "");
  EXPECT_EQ(findings_in(graph + other + "a: launch g\n"), "WAW w@2 v class pool\n");
  EXPECT_EQ(findings_in(graph + other + "a: kernel r reads n\na: free n\na: launch g\n"), "");
  EXPECT_EQ(findings_in(graph + other + "a: launch g\na: kernel r reads n\na: free n\n"),
            "WAW w@2 v class pool\n");
  EXPECT_EQ(findings_in("a: alloc m 64\na: kernel w writes m\ncapture g on a\n"
                        "a: kernel r reads m writes y\nend g\na: launch g\n" +
                        other + "a: free n\na: launch g\n"),
            "WAR r@2 v class pool\n");
}

TEST(NaiveOrder, IssueOrderIsAlwaysLegal) {
  for (uint64_t seed = 1; seed < 3000; ++seed) {
    const std::string text = join_lines(random_case(seed, 30));
    const Result<Program> program = trace::read_case(text, "random");
    ASSERT_TRUE(program.ok()) << to_string(program.error()) << "\n" << text;
    const Order order = happens_before(program.value());
    for (size_t later = 0; later < order.steps.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        ASSERT_FALSE(order.before(later, earlier)) << text;
      }
      ASSERT_FALSE(order.before(later, later)) << text;
    }
  }
}

// The corpus: findings and `expect hazard` lines must be the same set, up to what a line leaves
// out.
bool meets(const Expectation& expected, const NaiveFinding& found) {
  const bool right_class = expected.cls.empty() || expected.cls == to_string(found.cls);
  return expected.first == found.first && expected.second == found.second && right_class;
}

void check_case(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const Result<Program> program = trace::read_case(text.str(), path.filename());
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const std::set<NaiveFinding> findings = findings_of(program.value());
  bool others = false;
  std::vector<Expectation> hazards;
  for (const Expectation& expected : program.value().expectations) {
    others = others || expected.kind == ExpectKind::others;
    if (expected.kind == ExpectKind::hazard) hazards.push_back(expected);
  }
  for (const Expectation& expected : hazards) {
    const bool met = std::any_of(findings.begin(), findings.end(),
                                 [&](const NaiveFinding& f) { return meets(expected, f); });
    EXPECT_TRUE(met) << path << " line " << expected.line;
  }
  for (const NaiveFinding& finding : findings) {
    const bool met = std::any_of(hazards.begin(), hazards.end(),
                                 [&](const Expectation& e) { return meets(e, finding); });
    EXPECT_TRUE(met || others) << path << ": " << describe(finding);
  }
}

TEST(NaiveCheck, TheCorpus) {
  int cases = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(BOHR_CASES_DIR)) {
    if (entry.path().extension() != ".case") continue;
    if (entry.path().stem().extension() == ".bad") continue;  // no program at all
    check_case(entry.path());
    ++cases;
  }
  EXPECT_GT(cases, 60);
}

}  // namespace
}  // namespace bohr::naive

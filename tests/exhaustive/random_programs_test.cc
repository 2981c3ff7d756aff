// SPDX-License-Identifier: Apache-2.0
// Random programs of 10 to 60 ops, through the reader of cases: the naive check and check::check
// have the same findings. A mismatch is shrunk and printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "base/random.h"
#include "check/check.h"
#include "exhaustive/naive_check.h"
#include "exhaustive/random_case.h"
#include "exhaustive/shrink.h"
#include "exhaustive/sizes.h"
#include "trace/case_reader.h"

namespace bohr::naive {
namespace {

using Findings = std::set<NaiveFinding>;

// Lifetimes are judged with more caution in recorded programs than the format says.
bool comparable(const Program& program, HazardClass cls) {
  return !program.recorded || cls != HazardClass::lifetime;
}

// Nodes of recorded programs have their number after their name; here names are unique without.
std::string without_number(std::string label) {
  const size_t hash = label.find('#');
  if (hash == std::string::npos) return label;
  return label.erase(hash, label.find('@') - hash);
}

Findings to_naive(const Program& program, const Verdict& verdict) {
  Findings findings;
  for (const Finding& finding : verdict.findings) {
    if (!comparable(program, finding.cls)) continue;
    findings.insert({without_number(finding.first.label), without_number(finding.second.label),
                     finding.cls, finding.hazard});
  }
  return findings;
}

// What the two say differently, or nothing.
std::optional<std::string> difference(const Program& program) {
  Findings naive;
  for (const NaiveFinding& finding : findings_of(program)) {
    if (comparable(program, finding.cls)) naive.insert(finding);
  }
  const Result<Verdict> verdict = check::check(program, {});
  if (!verdict.ok()) return "check fails: " + to_string(verdict.error()) + "\n";
  const Findings checked = to_naive(program, verdict.value());
  std::string text;
  for (const NaiveFinding& finding : naive) {
    if (checked.count(finding) == 0) text += "only naive: " + describe(finding) + "\n";
  }
  for (const NaiveFinding& finding : checked) {
    if (naive.count(finding) == 0) text += "only check: " + describe(finding) + "\n";
  }
  // Recorded programs are never covered completely: CPU accesses are not seen.
  const bool clean = verdict.value().outcome == Outcome::clean;
  if (!program.recorded && clean != naive.empty()) {
    text += clean ? "check: clean\n" : "check: not clean\n";
  }
  if (text.empty()) return std::nullopt;
  return text;
}

// The format does not say whether a graph that is never launched can have findings.
bool every_graph_launched(const Program& program) {
  std::set<GraphId> launched;
  for (const Op& op : program.ops) {
    if (op.kind == OpKind::launch) launched.insert(op.graph);
  }
  return launched.size() == program.graphs.size();
}

// As if recorded: calls have times, and those of different threads may overlap. No recording has
// agents.
void as_recorded(Program* program) {
  program->recorded = true;
  for (Actor& actor : program->actors) actor.kind = ActorKind::thread;
  Random random(program->ops.size());
  std::map<ActorId, Op*> last;
  int64_t now = 0;
  for (Op& op : program->ops) {
    now += 10;
    op.enter = now;
    op.exit = now + static_cast<int64_t>(random.between(1, 50));
    if (Op*& before = last[op.actor]; before != nullptr) {
      before->exit = std::min(before->exit, op.enter - 1);
    }
    last[op.actor] = &op;
  }
}

enum class Kind { cases, recorded };

// The program of these lines; nothing where the lines are no program or one that is left open.
std::optional<Program> program_of(const Lines& lines, Kind kind) {
  Result<Program> program = trace::read_case(join_lines(lines), "random");
  if (!program.ok() || !every_graph_launched(program.value())) return std::nullopt;
  if (kind == Kind::recorded) as_recorded(&program.value());
  return program.value();
}

bool hands_bytes_out_again(const Lines& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find(" over ") != std::string::npos;
  });
}

size_t size_of(uint64_t seed) { return 10 + seed % 51; }

void compare_by_seed(uint64_t first, uint64_t count, Kind kind) {
  size_t programs = 0;
  size_t findings = 0;
  size_t clean = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Lines lines = random_case(seed, size_of(seed));
    // Of the generations of a block, recorded programs list fewer pairs than the format says.
    if (kind == Kind::recorded && hands_bytes_out_again(lines)) continue;
    ++programs;
    const std::optional<Program> program = program_of(lines, kind);
    ASSERT_TRUE(program.has_value()) << "seed " << seed << "\n" << join_lines(lines);
    if (difference(*program).has_value()) {
      const Lines small = shrink(lines, [&](const Lines& some) {
        const std::optional<Program> less = program_of(some, kind);
        return less.has_value() && difference(*less).has_value();
      });
      FAIL() << "seed " << seed << "\n"
             << join_lines(small) << *difference(*program_of(small, kind));
    }
    const size_t found = findings_of(*program).size();
    findings += found;
    clean += found == 0 ? 1 : 0;
  }
  std::printf("%zu findings in %zu programs, %zu clean\n", findings, programs, clean);
  EXPECT_GT(findings, programs);
  EXPECT_GT(clean, programs / 100);
}

TEST(RandomPrograms, NaiveAndCheckFindTheSame) { compare_by_seed(1, 5000, Kind::cases); }
TEST(RandomPrograms, NaiveAndCheckFindTheSameInRecordedOnes) {
  compare_by_seed(100001, 2000, Kind::recorded);
}
TEST(RandomProgramsFull, NaiveAndCheckFindTheSame) {
  BOHR_FULL_ONLY();
  compare_by_seed(1000000, 200000, Kind::cases);
}

TEST(RandomPrograms, TheGeneratorRepeatsItself) {
  EXPECT_EQ(random_case(5, 40), random_case(5, 40));
  EXPECT_NE(random_case(5, 40), random_case(6, 40));
}

TEST(Shrink, KeepsWhatFails) {
  const Lines lines = {"a", "b", "c", "d", "e", "f", "g"};
  const auto fails = [](const Lines& some) {
    return std::count(some.begin(), some.end(), "b") + std::count(some.begin(), some.end(), "f") ==
           2;
  };
  EXPECT_EQ(shrink(lines, fails), (Lines{"b", "f"}));
}

}  // namespace
}  // namespace bohr::naive

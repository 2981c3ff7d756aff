// SPDX-License-Identifier: Apache-2.0
// The reader's graphs against stream order: a capture must order its nodes as its streams would
// have ordered the same lines if they had run. So each capture of a random case is also read as a
// program of its own, without the capture, and the two orders are compared step by step. The same
// with a probe on the owner stream at each free, for the frontier of its mark.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "exhaustive/naive_order.h"
#include "exhaustive/random_case.h"
#include "exhaustive/sizes.h"
#include "trace/case_reader.h"

namespace bohr::naive {
namespace {

using Lines = std::vector<std::string>;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// Streams without rules of their own, memory without host semantics, blocks without lifetimes.
Lines plain_declarations(const Lines& lines) {
  Lines plain = {"case 1"};
  for (const std::string& line : lines) {
    const std::vector<std::string> words = words_of(line);
    if (words[0] == "stream") plain.push_back("stream " + words[1]);
    if (words[0] == "buffer") plain.push_back("buffer " + words[1] + " " + words[2]);
    if (words[0] == "view") plain.push_back(line);
    const auto alloc = std::find(words.begin(), words.end(), "alloc");
    if (alloc != words.end()) plain.push_back("buffer " + alloc[1] + " " + alloc[2]);
  }
  return plain;
}

struct CaptureLines {
  std::string name;
  Lines lines;
};

std::vector<CaptureLines> captures_of(const Lines& lines) {
  std::vector<CaptureLines> captures;
  bool inside = false;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = words_of(line);
    if (words[0] == "capture") captures.push_back({words[1], {}});
    if (words[0] == "end") inside = false;
    if (inside) captures.back().lines.push_back(line);
    if (words[0] == "capture") inside = true;
  }
  return captures;
}

bool is_allocator_line(const std::string& line) {
  const std::string verb = words_of(line)[1];
  return verb == "alloc" || verb == "free" || verb == "uses";
}

Lines without_allocator(const Lines& lines) {
  Lines left;
  for (const std::string& line : lines) {
    if (!is_allocator_line(line)) left.push_back(line);
  }
  return left;
}

using StepName = std::pair<std::string, Part>;
std::map<StepName, size_t> steps_by_name(const Program& program, const Order& order, OpId launch) {
  std::map<StepName, size_t> steps;
  for (size_t s = 0; s < order.steps.size(); ++s) {
    const Step& step = order.steps[s];
    if (launch.valid() && step.op != launch) continue;
    steps[{std::string(label_of(program, work_of(program, step))), step.part}] = s;
  }
  return steps;
}

OpId first_launch(const Program& program, const std::string& graph) {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.kind == OpKind::launch && program.graphs[op.graph.index()].name == graph) {
      return OpId(i);
    }
  }
  return OpId();
}

Program read(const Lines& lines) {
  Result<Program> program = trace::read_case(join_lines(lines), "random");
  EXPECT_TRUE(program.ok()) << to_string(program.error()) << "\n" << join_lines(lines);
  return program.ok() ? program.value() : Program();
}

struct Eager {
  Program program;
  Order order;
  std::map<StepName, size_t> steps;
};

Eager run_eagerly(const Lines& declarations, const Lines& lines) {
  Lines text = declarations;
  text.insert(text.end(), lines.begin(), lines.end());
  Eager eager;
  eager.program = read(text);
  eager.order = happens_before(eager.program);
  eager.steps = steps_by_name(eager.program, eager.order, OpId());
  return eager;
}

// The owner's next op if it were issued at the free; streams that were told to use the block are
// waited for as well.
Lines probed(const Lines& lines, size_t free_line, const std::string& owner) {
  const std::string block = words_of(lines[free_line])[2];
  const Lines before(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(free_line));
  Lines text = without_allocator(before);
  for (const std::string& line : before) {
    const std::vector<std::string> words = words_of(line);
    if (words[1] != "uses" || words[2] != block) continue;
    text.push_back(words[0] + " record probe_event");
    text.push_back(owner + " wait probe_event");
  }
  text.push_back(owner + " kernel probe");
  return text;
}

bool in_frontier(const Order& order, OpId launch, const Mark& mark, size_t step) {
  return std::any_of(mark.frontier.begin(), mark.frontier.end(), [&](NodeId node) {
    return order.relation.before(order.step_point[step], order.node_work.at({launch, node}).end);
  });
}

const Mark* free_mark(const Program& program, const Graph& graph, const std::string& block) {
  for (const Mark& mark : graph.marks) {
    if (mark.kind != MarkKind::free) continue;
    if (program.lifetimes[mark.lifetime.index()].name == block) return &mark;
  }
  return nullptr;
}

struct Tally {
  int captures = 0;
  int frees = 0;
};

void compare_frees(const Program& program, const Order& order, OpId launch,
                   const CaptureLines& capture, const Lines& declarations,
                   const std::map<StepName, size_t>& steps, Tally* tally) {
  const Graph& graph = program.graphs[program.ops[launch.index()].graph.index()];
  for (size_t line = 0; line < capture.lines.size(); ++line) {
    const std::vector<std::string> words = words_of(capture.lines[line]);
    if (words[1] != "free") continue;
    const Mark* mark = free_mark(program, graph, words[2]);
    ASSERT_NE(mark, nullptr) << capture.lines[line];
    const StreamId owner = program.lifetimes[mark->lifetime.index()].owner;
    const Eager eager = run_eagerly(
        declarations, probed(capture.lines, line, program.streams[owner.index()].name + ":"));
    const size_t probe = eager.steps.at({"probe", Part::whole});
    for (const auto& [name, step] : eager.steps) {
      if (step == probe) continue;
      ASSERT_EQ(eager.order.before(step, probe), in_frontier(order, launch, *mark, steps.at(name)))
          << name.first << " and the free of " << words[2] << " in " << capture.name;
    }
    ++tally->frees;
  }
}

void compare_captures(uint64_t seed, Tally* tally) {
  const Lines lines = random_case(seed, 10 + seed % 41);
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + join_lines(lines));
  const Program program = read(lines);
  const Order order = happens_before(program);
  const Lines declarations = plain_declarations(lines);
  for (const CaptureLines& capture : captures_of(lines)) {
    const OpId launch = first_launch(program, capture.name);
    ASSERT_TRUE(launch.valid());
    const auto steps = steps_by_name(program, order, launch);
    const Eager eager = run_eagerly(declarations, without_allocator(capture.lines));
    ASSERT_EQ(steps.size(), eager.steps.size());
    for (const auto& [a, a_step] : steps) {
      for (const auto& [b, b_step] : steps) {
        ASSERT_EQ(order.before(a_step, b_step),
                  eager.order.before(eager.steps.at(a), eager.steps.at(b)))
            << a.first << " before " << b.first << " in " << capture.name;
      }
    }
    ++tally->captures;
    compare_frees(program, order, launch, capture, declarations, steps, tally);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

void compare_by_seed(uint64_t first, uint64_t count) {
  Tally tally;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    ASSERT_NO_FATAL_FAILURE(compare_captures(seed, &tally));
  }
  EXPECT_GT(tally.captures, static_cast<int>(count) / 4);
  EXPECT_GT(tally.frees, static_cast<int>(count) / 20);
}

TEST(CaptureOrder, IsTheOrderOfItsStreams) { compare_by_seed(1, 3000); }
TEST(CaptureOrderFull, IsTheOrderOfItsStreams) {
  BOHR_FULL_ONLY();
  compare_by_seed(3000000, 100000);
}

}  // namespace
}  // namespace bohr::naive

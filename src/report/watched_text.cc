// SPDX-License-Identifier: Apache-2.0
#include "report/watched_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/exploration_text.h"
#include "report/words.h"

namespace bohr::report {

namespace {

constexpr size_t kMostWriters = 8;

std::string range_text(const NamedRange& one) {
  return fmt::format("{} {}", printable(one.name), range(one.begin, one.end));
}

std::string pieces_text(const std::vector<NamedBytes>& pieces) {
  std::string text;
  for (const NamedBytes& piece : pieces) {
    if (text.size() > 200) return text + ", …";
    text += (text.empty() ? "" : ", ") + range_text(piece.name);
  }
  return text;
}

std::string expected_text(const Watched& watched) {
  std::string text;
  for (size_t i = 0; i < watched.expected.size() && i < kMostWriters; ++i)
    text += (i > 0 ? ", " : "") + step_text(watched.expected[i]);
  if (watched.expected.size() > kMostWriters)
    text += fmt::format(" and {} more",
                        count(static_cast<int64_t>(watched.expected.size() - kMostWriters)));
  if (text.empty()) return watched.watch.listed ? "nobody" : "nobody: no step names it";
  if (watched.watch.listed) return text;
  return text + (watched.expected.size() == 1 ? ", which names it" : ", which name it");
}

std::string contents_text(int32_t contents) {
  return contents > 1 ? "under " + count(contents, "content") : "with the bytes that stood there";
}

// Canaries of one step, one after the other.
std::vector<std::span<const Canary>> by_step(std::span<const Canary> canaries) {
  std::vector<std::span<const Canary>> groups;
  for (size_t begin = 0, end = 0; begin < canaries.size(); begin = end) {
    while (end < canaries.size() && canaries[end].step.step == canaries[begin].step.step &&
           canaries[end].step.label == canaries[begin].step.label)
      ++end;
    groups.push_back(canaries.subspan(begin, end - begin));
  }
  return groups;
}

std::string graph_text(const Program& program, const Step& step) {
  if (!step.node.valid() || step.op.index() >= program.ops.size()) return {};
  const GraphId id = program.ops[step.op.index()].graph;
  const Graph& graph = program.graphs[id.index()];
  const std::string name =
      graph.name.empty() ? fmt::format("graph {}", graph.recorded) : printable(graph.name);
  return fmt::format("   {}, node {}", name, step.node.value());
}

void add_step(Page* page, const Program& program, std::span<const Canary> canaries, int64_t most) {
  const StepName& step = canaries.front().step;
  page->field("written by", step_text(step) + graph_text(program, step.step));
  int64_t told = 0;
  for (const Canary& canary : canaries) {
    if (most >= 0 && told == most) break;
    ++told;
    page->field("", fmt::format("page 0x{:x}, offset {}: {} of {} changed", canary.page,
                                canary.offset, count(static_cast<int64_t>(canary.bytes), "byte"),
                                range_text(canary.range)));
  }
  const auto left = static_cast<int64_t>(canaries.size()) - told;
  if (left > 0) page->field("", fmt::format("and {}: --all", count(left, "more page")));
}

std::string result_text(const Watched& watched) {
  if (watched.contents == 0) return "NOT WATCHED: the search ended before";
  if (!watched.canaries.empty())
    return count(static_cast<int64_t>(watched.canaries.size()), "page") + " WRITTEN BY OTHERS";
  return "no other step wrote it, " + contents_text(watched.contents);
}

void add_one(Page* page, const Program& program, const Watched& watched, int64_t most) {
  page->blank();
  page->heading("WATCHED   " + pieces_text(watched.watch.pieces), "",
                watched.canaries.empty() ? Ink::bold : Ink::red);
  page->field("expected", expected_text(watched));
  page->field("result", result_text(watched));
  for (const std::span<const Canary> canaries : by_step(watched.canaries))
    add_step(page, program, canaries, most);
  if (!watched.unseen.empty())
    page->field("not watched", pieces_text(watched.unseen) +
                                   ": it lies in a block too large to be saved whole, and there "
                                   "is no room for these pages (explore-memory)");
}

}  // namespace

int64_t canary_pages(std::span<const Subject> subjects) {
  int64_t pages = 0;
  for (const Subject& subject : subjects) {
    if (!subject.exploration) continue;
    for (const Watched& watched : subject.exploration->watched)
      pages += static_cast<int64_t>(watched.canaries.size());
  }
  return pages;
}

void add_watched(Page* page, std::span<const Subject> subjects, int64_t most) {
  for (const Subject& subject : subjects) {
    if (!subject.exploration) continue;
    for (const Watched& watched : subject.exploration->watched)
      add_one(page, *subject.program, watched, most);
  }
}

std::vector<std::string> canary_lines(const Exploration& exploration) {
  std::vector<std::string> lines;
  for (const Watched& watched : exploration.watched)
    for (const std::span<const Canary> canaries : by_step(watched.canaries))
      lines.push_back(fmt::format(
          "{} wrote {}{}, which it is not expected to", step_text(canaries.front().step),
          range_text(canaries.front().range),
          canaries.size() > 1 ? fmt::format(" and {} more pages", canaries.size() - 1) : ""));
  return lines;
}

}  // namespace bohr::report

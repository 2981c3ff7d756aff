// SPDX-License-Identifier: Apache-2.0
// Timings are looked up by op and node, which they are sorted by.
#include "check/hides.h"

#include <algorithm>
#include <set>

#include "check/absence.h"

namespace bohr::check {

namespace {

constexpr size_t kMostSamples = 10'000;  // of one cause; the median is known well enough by then

const Timing* timing_of(const Program& program, OpId op, NodeId node) {
  const auto wanted = std::pair(op, node);
  const auto at = std::ranges::lower_bound(
      program.timings, wanted, {}, [](const Timing& one) { return std::pair(one.op, one.node); });
  return at != program.timings.end() && at->op == op && at->node == node ? &*at : nullptr;
}

class Slacks {
 public:
  Slacks(const Program& program, const Verdict& verdict) : program_(program), verdict_(verdict) {
    launches_.resize(program.graphs.size());
    for (size_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      if (op.kind == OpKind::launch && op.graph.valid())
        launches_[op.graph.index()].push_back(OpId(i));
    }
  }

  Slack of(const Cause& cause) {
    samples_.clear();
    if (cause.cls != HazardClass::lifetime) {
      for (const int32_t index : cause.findings) add(verdict_.findings[static_cast<size_t>(index)]);
    }
    Slack slack;
    if (samples_.empty()) return slack;
    const auto middle = samples_.begin() + static_cast<std::ptrdiff_t>(samples_.size() / 2);
    std::nth_element(samples_.begin(), middle, samples_.end());
    slack.samples = static_cast<int64_t>(samples_.size());
    slack.median_ns = *middle;
    slack.least_ns = *std::ranges::min_element(samples_);
    slack.overlapped = std::ranges::count_if(samples_, [](int64_t ns) { return ns < 0; });
    return slack;
  }

 private:
  void add(const Finding& finding) {
    const bool inside = finding.first.graph.valid() && !finding.first.op.valid();
    if (!inside) {
      sample(finding.first.op, finding.second.op, finding);
      return;
    }
    for (const OpId launch : launches_[finding.first.graph.index()])
      sample(launch, launch, finding);
  }

  void sample(OpId first, OpId second, const Finding& finding) {
    if (samples_.size() >= kMostSamples || !first.valid() || !second.valid()) return;
    const Timing* a = timing_of(program_, first, finding.first.node);
    const Timing* b = timing_of(program_, second, finding.second.node);
    if (a != nullptr && b != nullptr) samples_.push_back(b->begin - a->end);
  }

  const Program& program_;
  const Verdict& verdict_;
  std::vector<std::vector<OpId>> launches_;
  std::vector<int64_t> samples_;
};

bool inside_graphs(const Verdict& verdict, const Cause& cause) {
  if (cause.findings.empty()) return false;
  const Side& side = verdict.findings[static_cast<size_t>(cause.findings.front())].first;
  return side.graph.valid() && !side.op.valid();
}

std::set<GraphId> graphs_with(const Verdict& verdict, const Cause& cause) {
  std::set<GraphId> graphs;
  for (const int32_t index : cause.findings) {
    const Finding& finding = verdict.findings[static_cast<size_t>(index)];
    graphs.insert(finding.first.graph);
    graphs.insert(finding.second.graph);
  }
  return graphs;
}

// Other work, or nothing that can be told, explains nothing.
bool explains(AbsenceKind kind) { return kind > AbsenceKind::not_reached; }

std::vector<NotIn> not_in(const Program& program, const Verdict& verdict, const Cause& cause,
                          const Elsewhere& elsewhere) {
  std::vector<NotIn> list;
  const std::set<GraphId> having = graphs_with(verdict, cause);
  for (size_t g = 0; g < program.graphs.size(); ++g) {
    if (having.count(GraphId(g)) > 0) continue;
    Absence absence = elsewhere.why(program, verdict, cause, GraphId(g));
    if (!explains(absence.kind)) continue;
    const auto same = std::ranges::find(list, absence, &NotIn::absence);
    if (same == list.end())
      list.push_back({{GraphId(g)}, std::move(absence)});
    else
      same->graphs.push_back(GraphId(g));
  }
  return list;
}

}  // namespace

void explain_hiding(const Program& program, const Arenas& arenas, Verdict* verdict) {
  const bool in_graphs = std::ranges::any_of(
      verdict->causes, [&](const Cause& cause) { return inside_graphs(*verdict, cause); });
  if (!program.timings.empty()) {
    Slacks slacks(program, *verdict);
    for (Cause& cause : verdict->causes) cause.slack = slacks.of(cause);
  }
  if (!in_graphs || program.graphs.size() < 2) return;
  const Elsewhere elsewhere(program, *verdict, arenas);
  for (Cause& cause : verdict->causes) {
    if (inside_graphs(*verdict, cause)) cause.not_in = not_in(program, *verdict, cause, elsewhere);
  }
}

}  // namespace bohr::check

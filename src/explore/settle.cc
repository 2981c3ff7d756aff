// SPDX-License-Identifier: Apache-2.0
// Observations are by step; the program's accesses are by op or node, over all its launches.
#include "explore/settle.h"

#include <algorithm>
#include <map>

namespace bohr::explore {

namespace {

using Work = std::pair<GraphId, int32_t>;  // a node of a graph, or with an invalid graph an op

Work work_behind(const Program& program, const Step& step) {
  if (!step.node.valid()) return {GraphId(), step.op.value()};
  return {program.ops[step.op.index()].graph, step.node.value()};
}

using Observed = std::map<Step, std::vector<ByteRange>>;

Observed by_step(const Exploration& exploration) {
  Observed observed;
  for (const ObservedWrite& write : exploration.observed)
    observed[write.step].push_back(write.range);
  return observed;
}

bool wrote(const Observed& observed, const Step& step, const ByteRange& range) {
  const auto found = observed.find(step);
  return found != observed.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const ByteRange& one) { return one.overlaps(range); });
}

// Whether one of two steps was seen to write bytes that both use.
bool either_wrote(const Footprints& uses, const Observed& observed, const Step& a, const Step& b,
                  int32_t first, int32_t second) {
  for (const Use& use : uses.of_step(first)) {
    const auto others = uses.of_step(second);
    const bool shared = std::any_of(others.begin(), others.end(),
                                    [&](const Use& other) { return other.cell == use.cell; });
    const ByteRange range = uses.range(use.cell);
    if (shared && (wrote(observed, a, range) || wrote(observed, b, range))) return true;
  }
  return false;
}

}  // namespace

void settle(const Program& program, const order::StepOrder& order, const Footprints& uses,
            const std::vector<Suspect>& suspects, Exploration* exploration) {
  const Observed observed = by_step(*exploration);
  for (size_t i = 0; i < suspects.size(); ++i) {
    const Suspect& suspect = suspects[i];
    Trial& trial = exploration->trials[i];
    // A finding may rest on a guess that what was seen takes away; not one that a reversal showed.
    if (!suspect.candidate && trial.result != TrialResult::diverges) continue;
    const Step& a = order.steps[static_cast<size_t>(suspect.first)];
    const Step& b = order.steps[static_cast<size_t>(suspect.second)];
    if (trial.result == TrialResult::same_bytes && exploration->observed_contents >= 2 &&
        !either_wrote(uses, observed, a, b, suspect.first, suspect.second)) {
      trial.result = TrialResult::never_written;
      continue;
    }
    const bool finding = trial.result == TrialResult::diverges;
    if (!finding && trial.result != TrialResult::same_bytes) continue;
    const Work first = work_behind(program, a), second = work_behind(program, b);
    exploration->settled.push_back(
        {first.first, first.second, second.first, second.second, finding});
  }
}

namespace {

Access part_of(const Access& access, const ByteRange& range) {
  Access part = access;
  part.range = range;
  part.offset += range.begin - access.range.begin;
  part.address = access.address != 0 ? access.address : access.range.begin;  // as the step has it
  part.source = AccessSource::observed;
  part.doubt = Doubt::none;
  return part;
}

// Bytes of an access that did not change.
void append_unchanged(const Access& access, const ByteRange& range,
                      std::span<const ByteRange> varied, std::vector<Access>* out) {
  for (const ByteRange& kept : without({&range, 1}, varied)) {
    out->push_back(part_of(access, kept));
    out->back().source = access.source, out->back().doubt = access.doubt;
  }
  for (const ByteRange& one : varied) {
    if (!one.overlaps(range)) continue;
    out->push_back(part_of(access, one.intersection(range)));
    out->back().mode = AccessMode::read;
    out->back().certainty = Certainty::may;
    out->back().doubt = access.doubt;
  }
}

// The accesses of one op or node with what was seen of it.
void append_observed(std::span<const Access> accesses, const std::vector<ByteRange>& written,
                     std::span<const ByteRange> varied, std::vector<Access>* out) {
  for (const Access& access : accesses) {
    if (direction_known(access.mode)) {
      out->push_back(access);
      continue;
    }
    for (const ByteRange& range : written) {
      if (!range.overlaps(access.range)) continue;
      out->push_back(part_of(access, range.intersection(access.range)));
      out->back().mode = AccessMode::write;
      out->back().certainty = Certainty::exact;
    }
    for (const ByteRange& range : without({&access.range, 1}, written))
      append_unchanged(access, range, varied, out);
  }
}

using Writes = std::map<Work, std::vector<ByteRange>>;

// Rewrites one table of ops and its table of accesses.
void rewrite(GraphId graph, const Writes& writes, std::span<const ByteRange> varied,
             std::vector<Op>* ops, std::vector<Access>* accesses) {
  std::vector<Access> all;
  for (size_t i = 0; i < ops->size(); ++i) {
    Op& op = (*ops)[i];
    const std::span<const Access> own(accesses->data() + op.access_begin, op.access_count);
    const auto seen = writes.find({graph, static_cast<int32_t>(i)});
    const auto begin = static_cast<uint32_t>(all.size());
    if (seen == writes.end())
      all.insert(all.end(), own.begin(), own.end());
    else
      append_observed(own, seen->second, varied, &all);
    op.access_begin = begin;
    op.access_count = static_cast<uint32_t>(all.size()) - begin;
  }
  *accesses = std::move(all);
}

}  // namespace

Result<std::vector<ByteRange>> racy_ranges(const Program& program, bool strict_threads) {
  BOHR_TRY(order, order::step_order(program, strict_threads));
  BOHR_TRY(uses, Footprints::of(program, order));
  std::vector<ByteRange> ranges;
  for (const int32_t cell : uses.racy_cells()) ranges.push_back(uses.range(cell));
  return merged(std::move(ranges));
}

Program with_observed(Program program, std::span<const Step> watched,
                      std::span<const ObservedWrite> observed, std::span<const ByteRange> varied) {
  Writes writes;
  for (const Step& step : watched) writes[work_behind(program, step)];
  for (const ObservedWrite& write : observed)
    writes[work_behind(program, write.step)].push_back(write.range);
  for (auto& [work, ranges] : writes) ranges = merged(std::move(ranges));
  rewrite(GraphId(), writes, varied, &program.ops, &program.accesses);
  for (size_t i = 0; i < program.graphs.size(); ++i)
    rewrite(GraphId(i), writes, varied, &program.graphs[i].nodes, &program.graphs[i].accesses);
  return program;
}

namespace {

bool same_side(const Side& a, const Side& b) {
  return a.graph == b.graph && a.node == b.node && a.op == b.op;
}

int32_t same_pair(const std::vector<Finding>& list, const Finding& wanted) {
  for (size_t i = 0; i < list.size(); ++i)
    if (same_side(list[i].first, wanted.first) && same_side(list[i].second, wanted.second))
      return static_cast<int32_t>(i);
  return -1;
}

}  // namespace

void rebind(const Program& program, const Verdict& before, const Verdict& after,
            Exploration* exploration) {
  for (Witness& witness : exploration->witnesses) {
    const int32_t finding = finding_of(program, after, witness.first.step, witness.second.step);
    witness.cause = finding < 0 ? 0 : after.findings[static_cast<size_t>(finding)].cause;
  }
  std::vector<Trial> trials;
  for (Trial trial : exploration->trials) {
    const Finding& told =
        (trial.candidate ? before.candidates : before.findings)[static_cast<size_t>(trial.index)];
    const int32_t finding = same_pair(after.findings, told);
    trial.candidate = finding < 0;
    trial.index = finding < 0 ? same_pair(after.candidates, told) : finding;
    if (trial.index >= 0) trials.push_back(trial);
  }
  exploration->trials = std::move(trials);
}

}  // namespace bohr::explore

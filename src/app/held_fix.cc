// SPDX-License-Identifier: Apache-2.0
#include "app/held_fix.h"

#include <algorithm>
#include <set>

#include "check/check.h"
#include "fix/cost.h"
#include "fix/fix.h"
#include "fix/preference.h"
#include "order/step_order.h"
#include "replay/moves.h"
#include "replay/repaired.h"

namespace bohr::app {

namespace {

// Makes replayers of repaired programs out of the one of the program as it is.
class InPlace {
 public:
  InPlace(replay::Replayer& replayer, const Program& one, order::StepOrder order,
          std::vector<int32_t> right, bool strict_threads)
      : replayer_(replayer),
        one_(one),
        order_(std::move(order)),
        right_(std::move(right)),
        strict_threads_(strict_threads) {}

  Result<std::unique_ptr<replay::Replayer>> of(const Program& repaired) const {
    BOHR_TRY(order, order::step_order(repaired, strict_threads_));
    BOHR_TRY(moves, replay::moves_between(one_, repaired));
    replay::Variant variant{fix::more_order(order_, order), {}, std::move(moves)};
    return replay::repaired_in_place(replayer_, repaired, std::move(variant), right_);
  }

 private:
  replay::Replayer& replayer_;
  const Program& one_;
  order::StepOrder order_;
  std::vector<int32_t> right_;
  bool strict_threads_;
};

using Parts = std::vector<RepairPart>;

// All of `these` are among `those`.
bool among(const Parts& these, const Parts& those) {
  return std::all_of(these.begin(), these.end(), [&](const RepairPart& part) {
    return std::find(those.begin(), those.end(), part) != those.end();
  });
}

// The graph that a part changes; invalid: none, or a block of several.
GraphId graph_of(const RepairPart& part) {
  if (part.graph.valid()) return part.graph;
  if (!part.accesses.empty()) return part.accesses.front().graph;
  return part.until.graph;
}

// What holds was tried with no part that the whole has not; what does not, with no part less.
bool same_parts(const Repair& whole, const Tried& tried, GraphId graph) {
  Parts here;
  for (const RepairPart& part : whole.parts)
    if (part.kind != RepairKind::edge || graph_of(part) == graph) here.push_back(part);
  if (among(tried.repair.parts, here)) return true;
  return !tried.repair.verified && !here.empty() && among(here, tried.repair.parts);
}

const Tried* find(const TriedRepairs& tried, const std::string& site, const Repair& repair) {
  for (const Tried& one : tried.repairs)
    if (one.site == site && one.repair.kind == repair.kind && same_parts(repair, one, tried.graph))
      return &one;
  return nullptr;
}

// What only a run tells of a cost; memory is known of the whole program.
void take_times(const Cost& from, Cost* to) {
  const uint64_t bytes = to->pool_bytes;
  *to = from;
  to->pool_bytes = bytes;
}

void tell(const TriedRepairs& tried, const Tried& one, Repair* repair) {
  if (!one.repair.verified) {
    if (repair->verified) repair->refuted = "in " + tried.name + " " + one.repair.refuted;
    repair->failed = repair->failed || one.repair.failed;
    repair->verified = repair->by_check = false;
    return;
  }
  repair->by_check = false;
  repair->in_copy = repair->in_copy || one.repair.in_copy;
  if (!repair->cost.measured) take_times(one.repair.cost, &repair->cost);
}

// Of the graphs that a repair changes those of which no launch was tried with it.
int32_t untried_graphs(const Repair& repair, const std::set<GraphId>& tried) {
  std::set<GraphId> graphs;
  for (const RepairPart& part : repair.parts)
    if (const GraphId graph = graph_of(part); graph.valid() && !tried.contains(graph))
      graphs.insert(graph);
  return static_cast<int32_t>(graphs.size());
}

// Where what was chosen for a cause did not hold when it was tried, another one that did is chosen.
// False: there is none.
bool choose_again(Repairs* repairs, const Repair& refuted) {
  for (Repair& other : repairs->proposals) {
    if (other.cause != refuted.cause || !(other.verified || other.covered)) continue;
    other.chosen = true;
    return true;
  }
  return false;
}

}  // namespace

const std::string& site_of(const Verdict& verdict, int32_t cause) {
  static const std::string none;
  const auto found = std::ranges::find(verdict.causes, cause, &Cause::id);
  return found == verdict.causes.end() ? none : found->site;
}

Result<TriedRepairs> try_repairs(replay::Replayer& replayer, const Program& one, GraphId graph,
                                 const Exploration& exploration, const explore::Options& options,
                                 const check::Options& check) {
  BOHR_TRY(verdict, check::check(one, check));
  fix::Options fix;
  fix.explore = options;
  fix.check = check;
  fix.shown = fix::shown_orders(one, exploration.witnesses);
  fix.in_copy = true;
  fix.explore.also = fix::schedules_of(one, exploration);
  if (fix.explore.also.empty())
    return Error{"explore-nothing", one.source, "", "no race of it was proved",
                 "only what was proved in a launch is repaired there"};
  BOHR_TRY(order, order::step_order(one, check.strict_threads));
  const InPlace in_place(replayer, one, std::move(order), fix.explore.also.front(),
                         check.strict_threads);
  fix.replayer = [&](const Program& repaired) { return in_place.of(repaired); };
  BOHR_TRY(repairs, fix::fix(one, verdict, fix));
  TriedRepairs tried;
  tried.graph = graph;
  tried.costs = repairs.costs;
  tried.varies = std::ranges::find(repairs.reasons, "fix-varies") != repairs.reasons.end();
  for (Repair& repair : repairs.proposals)
    tried.repairs.push_back({site_of(verdict, repair.cause), std::move(repair)});
  return tried;
}

void tell_tried(std::span<const TriedRepairs> tried, const Verdict& verdict, Repairs* repairs) {
  bool all_tried = true;
  for (Repair& repair : repairs->proposals) {
    const bool only_checked = repair.by_check;
    std::set<GraphId> graphs;
    for (const TriedRepairs& one : tried) {
      const Tried* found = find(one, site_of(verdict, repair.cause), repair);
      if (found == nullptr || found->repair.covered) continue;
      graphs.insert(one.graph);
      tell(one, *found, &repair);
    }
    if (only_checked && repair.verified && !repair.by_check)
      repair.graphs_by_check = untried_graphs(repair, graphs);
    if (repair.by_check || repair.graphs_by_check > 0) all_tried = false;
  }
  for (Repair& repair : repairs->proposals) {
    if (!repair.chosen || repair.verified || repair.covered) continue;
    repair.chosen = false;
    if (!choose_again(repairs, repair)) {
      repair.chosen = true;
      repairs->complete = false;
    }
  }
  for (const TriedRepairs& one : tried) {
    if (!one.costs.as_is.measured || repairs->costs.as_is.measured) continue;
    const uint64_t bytes = repairs->costs.as_is.pool_bytes;
    repairs->costs = one.costs;
    repairs->costs.as_is.pool_bytes = bytes;
    repairs->costs.of = one.name;
  }
  for (auto begin = repairs->proposals.begin(); begin != repairs->proposals.end();) {
    const auto end = std::find_if(begin, repairs->proposals.end(), [&](const Repair& repair) {
      return repair.cause != begin->cause;
    });
    fix::by_preference({begin, end});
    begin = end;
  }
  if (std::ranges::any_of(tried, &TriedRepairs::varies)) repairs->reasons.push_back("fix-varies");
  if (all_tried) std::erase(repairs->reasons, "fix-not-replayed");
}

}  // namespace bohr::app

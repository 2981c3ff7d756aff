// SPDX-License-Identifier: Apache-2.0
// A side of a finding names an op, or a node of a graph and perhaps the launch that ran it.
#include "explore/suspects.h"

#include <algorithm>
#include <map>

namespace bohr::explore {

namespace {

// Steps by op, and by node of a graph over all its launches.
class StepIndex {
 public:
  StepIndex(const Program& program, const order::StepOrder& order) {
    for (size_t i = 0; i < order.size(); ++i) {
      const Step& step = order.steps[i];
      const GraphId graph = program.ops[step.op.index()].graph;
      if (step.node.valid())
        nodes_[{graph, step.node}].push_back(static_cast<int32_t>(i));
      else
        ops_[step.op].push_back(static_cast<int32_t>(i));
    }
  }

  // Those of one launch where the side names it.
  std::vector<int32_t> of(const order::StepOrder& order, const Side& side) const {
    if (!side.node.valid()) return at(ops_, side.op);
    std::vector<int32_t> steps = at(nodes_, std::pair(side.graph, side.node));
    if (side.op.valid()) {
      std::erase_if(steps, [&](int32_t step) {
        return order.steps[static_cast<size_t>(step)].op != side.op;
      });
    }
    return steps;
  }

 private:
  template <class Map, class Key>
  static std::vector<int32_t> at(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::vector<int32_t>() : found->second;
  }
  std::map<OpId, std::vector<int32_t>> ops_;
  std::map<std::pair<GraphId, NodeId>, std::vector<int32_t>> nodes_;
};

bool has_steps(HazardClass cls) { return cls != HazardClass::lifetime && cls != HazardClass::pool; }

}  // namespace

std::vector<Suspect> suspects_of(const Program& program, const order::StepOrder& order,
                                 const Footprints& uses, const Verdict& verdict) {
  const StepIndex index(program, order);
  std::vector<Suspect> suspects;
  const auto add = [&](const Finding& finding, bool candidate, size_t number) {
    if (!has_steps(finding.cls)) return;
    for (const int32_t a : index.of(order, finding.first)) {
      for (const int32_t b : index.of(order, finding.second)) {
        if (a == b || order.ordered(a, b) || uses.conflict_cell(a, b) < 0) continue;
        suspects.push_back({std::min(a, b), std::max(a, b), candidate, static_cast<int32_t>(number),
                            candidate ? 0 : finding.cause});
        return;
      }
    }
  };
  for (size_t i = 0; i < verdict.findings.size(); ++i) add(verdict.findings[i], false, i);
  for (size_t i = 0; i < verdict.candidates.size(); ++i) add(verdict.candidates[i], true, i);
  return suspects;
}

int32_t finding_of(const Program& program, const Verdict& verdict, const Step& a, const Step& b) {
  const auto is = [&](const Side& side, const Step& step) {
    if (!step.node.valid()) return !side.node.valid() && side.op == step.op;
    return side.node == step.node && side.graph == program.ops[step.op.index()].graph;
  };
  for (size_t i = 0; i < verdict.findings.size(); ++i) {
    const Finding& finding = verdict.findings[i];
    if (!has_steps(finding.cls)) continue;
    if ((is(finding.first, a) && is(finding.second, b)) ||
        (is(finding.first, b) && is(finding.second, a)))
      return static_cast<int32_t>(i);
  }
  return -1;
}

StepName name_of(const Program& program, const Step& step) {
  StepName name;
  name.step = step;
  const Op& work = work_of(program, step);
  name.label = std::string(label_of(program, work));
  if (name.label.empty()) name.label = step.node.valid() ? "node" : "op";
  if (step.node.valid()) {
    const Op& launch = program.ops[step.op.index()];
    if (program.recorded) name.label += "#" + std::to_string(step.node.value());
    const auto earlier = std::count_if(
        program.ops.begin(), program.ops.begin() + step.op.value(),
        [&](const Op& op) { return op.kind == OpKind::launch && op.exec == launch.exec; });
    if (earlier > 0) name.label += "@" + std::to_string(earlier + 1);
  }
  if (step.part == Part::early) name.label += " (before its wait)";
  if (work.stream.valid())
    name.where = program.streams[work.stream.index()].name;
  else if (!step.node.valid() && work.actor.valid())  // who added a node does not run it
    name.where = program.actors[work.actor.index()].name;
  return name;
}

NamedRange name_of(const Program& program, LifetimeId lifetime, ByteRange range) {
  const Lifetime& block = program.lifetimes[lifetime.index()];
  for (const Piece& piece : block.pieces) {
    if (!piece.range.overlaps(range)) continue;
    const ByteRange shared = piece.range.intersection(range);
    const uint64_t begin = piece.offset + shared.begin - piece.range.begin;
    return {block.name, begin, begin + shared.size()};
  }
  return {block.name, 0, 0};
}

NamedRange name_of(const Program& program, const Footprints& uses, int32_t owner, int32_t cell) {
  for (const Use& use : uses.of_step(owner))
    if (use.cell == cell) return name_of(program, use.lifetime, uses.range(cell));
  return {};
}

}  // namespace bohr::explore

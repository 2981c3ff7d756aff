// SPDX-License-Identifier: Apache-2.0
// An index by kind and name; lines are compared for what it gives.
#include "check/alike.h"

#include <algorithm>

#include "model/user_frames.h"

namespace bohr::check {

namespace {

std::string name_of(const Program& program, const Op& op) {
  return std::to_string(static_cast<int>(op.kind)) + '|' + std::string(label_of(program, op));
}

// How many of the user's own frames two stacks have in common, from the innermost outwards.
size_t common_lines(const Program& a, StackId a_stack, const Program& b, StackId b_stack) {
  const std::vector<const Frame*> mine = users_frames(a, a_stack);
  const std::vector<const Frame*> theirs = users_frames(b, b_stack);
  const size_t most = std::min(mine.size(), theirs.size());
  size_t same = 0;
  while (same < most && same_line(*mine[same], *theirs[same])) ++same;
  return same;
}

}  // namespace

const Op* op_of(const Program& program, const Side& side) {
  if (side.graph.valid() && side.node.valid())
    return &program.graphs[side.graph.index()].nodes[side.node.index()];
  return side.op.valid() ? &program.ops[side.op.index()] : nullptr;
}

std::string line_of(const Program& program, const Op& op) {
  if (!program.recorded) return "line " + std::to_string(op.enter);
  const Frame* frame = useful_frame(program, op.stack);
  if (frame == nullptr) return {};
  const std::string file = frame->file.substr(frame->file.find_last_of('/') + 1);
  return frame->line > 0 ? file + ':' + std::to_string(frame->line) : frame->function;
}

Alike::Alike(const Program& program) : program_(program) {
  for (size_t i = 0; i < program.ops.size(); ++i)
    by_name_[name_of(program, program.ops[i])].push_back({{}, static_cast<int32_t>(i), {}});
  for (size_t g = 0; g < program.graphs.size(); ++g) {
    const std::vector<Op>& nodes = program.graphs[g].nodes;
    for (size_t n = 0; n < nodes.size(); ++n)
      by_name_[name_of(program, nodes[n])].push_back({GraphId(g), static_cast<int32_t>(n), {}});
  }
}

std::vector<Place> Alike::named(const Program& from, const Op& op, GraphId graph) const {
  const auto found = by_name_.find(name_of(from, op));
  if (found == by_name_.end()) return {};
  std::vector<Place> places = found->second;
  if (graph.valid()) std::erase_if(places, [&](const Place& one) { return one.graph != graph; });
  return places;
}

std::vector<Place> Alike::same_line(const Program& from, const Op& op,
                                    const std::vector<Place>& named) const {
  if (useful_frame(from, op.stack) == nullptr) return named;
  std::vector<Place> nearest, from_nowhere;
  size_t most = 1;
  for (const Place& place : named) {
    const StackId stack = op_at(program_, place).stack;
    if (useful_frame(program_, stack) == nullptr) from_nowhere.push_back(place);
    const size_t common = common_lines(from, op.stack, program_, stack);
    if (common < most) continue;
    if (common > most) nearest.clear();
    most = common;
    nearest.push_back(place);
  }
  return nearest.empty() ? from_nowhere : nearest;
}

std::optional<std::vector<bool>> Alike::blocks(const Program& from, LifetimeId block) const {
  const Lifetime& wanted = from.lifetimes[block.index()];
  const bool by_line = from.recorded;
  if (by_line != program_.recorded) return {};
  if (by_line && useful_frame(from, wanted.alloc_stack) == nullptr) return {};
  std::vector<bool> alike(program_.lifetimes.size(), false);
  bool any = false, all_known = true;
  for (size_t i = 0; i < alike.size(); ++i) {
    const Lifetime& one = program_.lifetimes[i];
    alike[i] = by_line ? common_lines(from, wanted.alloc_stack, program_, one.alloc_stack) > 0
                       : one.name == wanted.name;
    any = any || alike[i];
    all_known = all_known && (!by_line || useful_frame(program_, one.alloc_stack) != nullptr);
  }
  if (!any && !all_known) return {};
  return alike;
}

}  // namespace bohr::check

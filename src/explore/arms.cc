// SPDX-License-Identifier: Apache-2.0
// All pairs of steps with the two labels.
#include "explore/arms.h"

#include <algorithm>
#include <vector>

namespace bohr::explore {

namespace {

std::vector<int32_t> steps_with(const Program& program, const order::StepOrder& order,
                                std::string_view label) {
  std::vector<int32_t> steps;
  for (size_t i = 0; i < order.size(); ++i)
    if (label_of(program, work_of(program, order.steps[i])) == label)
      steps.push_back(static_cast<int32_t>(i));
  return steps;
}

}  // namespace

ArmState state_in(const Program& arm, const order::StepOrder& order, const Footprints& uses,
                  std::string_view first, std::string_view second) {
  const std::vector<int32_t> a = steps_with(arm, order, first);
  const std::vector<int32_t> b = steps_with(arm, order, second);
  if (a.empty() || b.empty()) return ArmState::not_reached;
  ArmState state = ArmState::apart;
  for (const int32_t one : a) {
    for (const int32_t other : b) {
      if (one == other || uses.conflict_cell(one, other) < 0) continue;
      if (!order.ordered(one, other)) return ArmState::racy;
      state = ArmState::ordered;
    }
  }
  return state;
}

}  // namespace bohr::explore

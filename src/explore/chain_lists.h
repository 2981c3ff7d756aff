// SPDX-License-Identifier: Apache-2.0
// Steps by chain, to ask of many at once which of them are unordered with another step.
//
// A chain is totally ordered, so of a list of its steps those before a step are a prefix and those
// after it a suffix, and what lies between is unordered with it. Both ends are found by bisection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "order/step_order.h"

namespace bohr::explore {

struct ChainList {
  int32_t chain = 0;
  std::vector<int32_t> steps;  // in the order of the chain
  bool in_issue_order = true;  // whether that is issue order too
};
using ChainLists = std::vector<ChainList>;

// `steps`: each once.
ChainLists chain_lists(const order::StepOrder& order, std::vector<int32_t> steps);

// How many of the list are before `step` or are itself.
inline size_t count_before(const order::StepOrder& order, const ChainList& list, int32_t step) {
  const auto& clocks = order.clocks;
  const auto known = clocks.known(order.clock_step[static_cast<size_t>(step)], list.chain);
  const auto end = std::partition_point(list.steps.begin(), list.steps.end(), [&](int32_t one) {
    return clocks.position(order.clock_step[static_cast<size_t>(one)]) <= known;
  });
  return static_cast<size_t>(end - list.steps.begin());
}

// The place of the first in the list that is after `step`.
inline size_t first_after(const order::StepOrder& order, const ChainList& list, int32_t step) {
  const auto first = std::partition_point(list.steps.begin(), list.steps.end(),
                                          [&](int32_t one) { return !order.before(step, one); });
  return static_cast<size_t>(first - list.steps.begin());
}

inline bool any_unordered(const order::StepOrder& order, const ChainLists& lists, int32_t step) {
  return std::any_of(lists.begin(), lists.end(), [&](const ChainList& list) {
    return list.chain != order.chain[static_cast<size_t>(step)] &&
           count_before(order, list, step) < first_after(order, list, step);
  });
}

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// One sort by chain and position.
#include "explore/chain_lists.h"

namespace bohr::explore {

ChainLists chain_lists(const order::StepOrder& order, std::vector<int32_t> steps) {
  const auto chain = [&](int32_t step) { return order.chain[static_cast<size_t>(step)]; };
  const auto position = [&](int32_t step) {
    return order.clocks.position(order.clock_step[static_cast<size_t>(step)]);
  };
  std::sort(steps.begin(), steps.end(), [&](int32_t a, int32_t b) {
    return std::pair(chain(a), position(a)) < std::pair(chain(b), position(b));
  });
  ChainLists lists;
  for (const int32_t step : steps) {
    if (lists.empty() || lists.back().chain != chain(step))
      lists.push_back({chain(step), {}, true});
    ChainList& list = lists.back();
    list.in_issue_order = list.in_issue_order && (list.steps.empty() || list.steps.back() < step);
    list.steps.push_back(step);
  }
  return lists;
}

}  // namespace bohr::explore

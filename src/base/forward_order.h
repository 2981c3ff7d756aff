// SPDX-License-Identifier: Apache-2.0
// An order of nodes in which every edge points forward: again and again the first of those that
// wait for none that is left. So it is the order in which they are listed wherever edges allow
// that.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace bohr {

// Edges from the first to the second. Fewer than all nodes where edges make a circle.
inline std::vector<int32_t> forward_order(size_t count,
                                          std::span<const std::pair<int32_t, int32_t>> edges) {
  std::vector<std::vector<int32_t>> next(count);
  std::vector<int32_t> missing(count, 0);
  for (const auto& [from, to] : edges) {
    next[static_cast<size_t>(from)].push_back(to);
    ++missing[static_cast<size_t>(to)];
  }
  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i)
    if (missing[i] == 0) ready.push(static_cast<int32_t>(i));
  std::vector<int32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const int32_t to : next[static_cast<size_t>(order.back())])
      if (--missing[static_cast<size_t>(to)] == 0) ready.push(to);
  }
  return order;
}

}  // namespace bohr

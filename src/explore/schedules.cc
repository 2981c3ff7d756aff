// SPDX-License-Identifier: Apache-2.0
// Kahn's algorithm with different ideas of what goes first.
#include "explore/schedules.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "base/random.h"

namespace bohr::explore {

namespace {

// Which steps wait for how many predecessors, and who waits for whom.
class Ready {
 public:
  explicit Ready(const order::StepOrder& order) : missing_(order.size()), begin_(order.size() + 1) {
    for (size_t i = 0; i < order.size(); ++i) {
      const auto predecessors = order.predecessors(static_cast<int32_t>(i));
      missing_[i] = static_cast<int32_t>(predecessors.size());
      for (const int32_t p : predecessors) ++begin_[static_cast<size_t>(p) + 1];
    }
    for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    std::vector<uint32_t> fill = begin_;
    successors_.resize(order.arrows.size());
    for (size_t i = 0; i < order.size(); ++i)
      for (const int32_t p : order.predecessors(static_cast<int32_t>(i)))
        successors_[fill[static_cast<size_t>(p)]++] = static_cast<int32_t>(i);
  }

  template <class Visit>
  void initial(Visit&& visit) const {
    for (size_t i = 0; i < missing_.size(); ++i)
      if (missing_[i] == 0) visit(static_cast<int32_t>(i));
  }
  template <class Visit>
  void finish(int32_t step, Visit&& visit) {
    const auto i = static_cast<size_t>(step);
    for (uint32_t at = begin_[i]; at < begin_[i + 1]; ++at)
      if (--missing_[static_cast<size_t>(successors_[at])] == 0) visit(successors_[at]);
  }

 private:
  std::vector<int32_t> missing_;
  std::vector<uint32_t> begin_;
  std::vector<int32_t> successors_;
};

std::vector<int64_t> places(std::span<const int32_t> schedule) {
  std::vector<int64_t> place(schedule.size());
  for (size_t i = 0; i < schedule.size(); ++i)
    place[static_cast<size_t>(schedule[i])] = static_cast<int64_t>(i);
  return place;
}

}  // namespace

bool is_legal(const order::StepOrder& order, std::span<const int32_t> schedule) {
  if (schedule.size() != order.size()) return false;
  std::vector<uint8_t> done(order.size(), 0);
  for (const int32_t step : schedule) {
    if (step < 0 || static_cast<size_t>(step) >= order.size()) return false;
    if (done[static_cast<size_t>(step)]++) return false;
    for (const int32_t p : order.predecessors(step))
      if (!done[static_cast<size_t>(p)]) return false;
  }
  return true;
}

Schedule by_rank(const order::StepOrder& order, std::span<const int64_t> rank) {
  using Entry = std::pair<int64_t, int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  Ready ready(order);
  const auto push = [&](int32_t step) { heap.push({rank[static_cast<size_t>(step)], step}); };
  ready.initial(push);
  Schedule schedule;
  schedule.reserve(order.size());
  while (!heap.empty()) {
    const int32_t step = heap.top().second;
    heap.pop();
    schedule.push_back(step);
    ready.finish(step, push);
  }
  BOHR_CHECK(schedule.size() == order.size());
  return schedule;
}

Schedule issue_schedule(const order::StepOrder& order) {
  std::vector<int64_t> rank(order.size());
  for (size_t i = 0; i < rank.size(); ++i) rank[i] = static_cast<int64_t>(i);
  return by_rank(order, rank);
}

Schedule with_advanced(const order::StepOrder& order, std::span<const int32_t> base, int32_t first,
                       int32_t second) {
  Schedule moved, held;
  size_t begin = 0;
  while (base[begin] != first) ++begin;
  size_t at = begin;
  for (; base[at] != second; ++at)
    (order.before(base[at], second) ? moved : held).push_back(base[at]);
  moved.push_back(second);
  Schedule result(base.begin(), base.begin() + static_cast<ptrdiff_t>(begin));
  result.insert(result.end(), moved.begin(), moved.end());
  result.insert(result.end(), held.begin(), held.end());
  result.insert(result.end(), base.begin() + static_cast<ptrdiff_t>(at) + 1, base.end());
  return result;
}

Schedule with_delayed(const order::StepOrder& order, std::span<const int32_t> base, int32_t first,
                      int32_t second) {
  Schedule kept, delayed = {first};
  size_t begin = 0;
  while (base[begin] != first) ++begin;
  size_t at = begin + 1;
  for (; base[at] != second; ++at)
    (order.before(first, base[at]) ? delayed : kept).push_back(base[at]);
  kept.push_back(second);
  Schedule result(base.begin(), base.begin() + static_cast<ptrdiff_t>(begin));
  result.insert(result.end(), kept.begin(), kept.end());
  result.insert(result.end(), delayed.begin(), delayed.end());
  result.insert(result.end(), base.begin() + static_cast<ptrdiff_t>(at) + 1, base.end());
  return result;
}

Schedule with_chain_delayed(const order::StepOrder& order, std::span<const int32_t> base,
                            int32_t chain) {
  std::vector<int64_t> rank = places(base);
  for (size_t i = 0; i < rank.size(); ++i)
    if (order.chain[i] == chain) rank[i] += static_cast<int64_t>(rank.size());
  return by_rank(order, rank);
}

Schedule random_schedule(const order::StepOrder& order, uint64_t seed, int depth) {
  Random random(seed);
  const auto chains = static_cast<size_t>(order.chains);
  std::vector<int64_t> priority(chains);  // higher runs first
  for (size_t i = 0; i < chains; ++i) priority[i] = static_cast<int64_t>(i) + depth;
  for (size_t i = chains; i > 1; --i) std::swap(priority[i - 1], priority[random.below(i)]);
  std::vector<size_t> changes;
  for (int i = 1; i < depth && order.size() > 0; ++i) changes.push_back(random.below(order.size()));

  // Ready steps by the priority of their chain; a chain's become ready one after the other.
  Ready ready(order);
  const auto chain_of = [&](int32_t step) {
    return static_cast<size_t>(order.chain[static_cast<size_t>(step)]);
  };
  std::priority_queue<std::pair<int64_t, int32_t>> heap;
  const auto push = [&](int32_t step) { heap.push({priority[chain_of(step)], step}); };
  ready.initial(push);
  Schedule schedule;
  schedule.reserve(order.size());
  while (schedule.size() < order.size()) {
    for (size_t i = 0; i < changes.size(); ++i) {
      if (changes[i] != schedule.size()) continue;
      const int32_t step = heap.top().second;
      heap.pop();
      priority[chain_of(step)] = static_cast<int64_t>(i) + 1;
      push(step);
    }
    const int32_t step = heap.top().second;
    heap.pop();
    schedule.push_back(step);
    ready.finish(step, push);
  }
  return schedule;
}

double pct_bound(const order::StepOrder& order, int depth) {
  if (order.size() == 0 || order.chains == 0) return 1;
  return 1 / (order.chains * std::pow(static_cast<double>(order.size()), depth - 1));
}

}  // namespace bohr::explore

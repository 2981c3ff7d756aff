// SPDX-License-Identifier: Apache-2.0
// The search keeps one schedule and undoes its steps on the way back.
#include "explore/all_orders.h"

#include <algorithm>

namespace bohr::explore {

namespace {

class Search {
 public:
  Search(const order::StepOrder& order, const Footprints& uses,
         const std::function<bool(const Schedule&)>& visit)
      : order_(order), uses_(uses), visit_(visit), done_(order.size(), 0) {}

  bool from(const std::vector<int32_t>& asleep) {
    if (schedule_.size() == order_.size()) return visit_(schedule_);
    std::vector<int32_t> sleep = asleep;
    for (const int32_t step : ready()) {
      if (std::find(asleep.begin(), asleep.end(), step) != asleep.end()) continue;
      std::vector<int32_t> inner;
      for (const int32_t other : sleep)
        if (uses_.conflict_cell(step, other) < 0) inner.push_back(other);
      done_[static_cast<size_t>(step)] = 1;
      schedule_.push_back(step);
      if (!from(inner)) return false;
      schedule_.pop_back();
      done_[static_cast<size_t>(step)] = 0;
      sleep.push_back(step);
    }
    return true;
  }

 private:
  std::vector<int32_t> ready() const {
    std::vector<int32_t> steps;
    for (size_t i = 0; i < order_.size(); ++i) {
      if (done_[i]) continue;
      const auto needs = order_.predecessors(static_cast<int32_t>(i));
      const bool free = std::all_of(needs.begin(), needs.end(), [&](int32_t step) {
        return done_[static_cast<size_t>(step)] != 0;
      });
      if (free) steps.push_back(static_cast<int32_t>(i));
    }
    return steps;
  }

  const order::StepOrder& order_;
  const Footprints& uses_;
  const std::function<bool(const Schedule&)>& visit_;
  std::vector<uint8_t> done_;
  Schedule schedule_;
};

}  // namespace

bool for_each_order(const order::StepOrder& order, const Footprints& uses,
                    const std::function<bool(const Schedule&)>& visit) {
  return Search(order, uses, visit).from({});
}

}  // namespace bohr::explore

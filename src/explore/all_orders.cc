// SPDX-License-Identifier: Apache-2.0
// The search keeps one schedule and undoes its steps on the way back. Its stack is its own: a
// program has more steps than a thread's stack has room for.
#include "explore/all_orders.h"

#include <algorithm>
#include <set>

namespace bohr::explore {

namespace {

class Search {
 public:
  Search(const order::StepOrder& order, const Footprints& uses, int64_t steps)
      : order_(order), uses_(uses), left_(steps), missing_(order.size(), 0) {
    racy_.assign(uses.cells(), 0);
    for (const int32_t cell : uses.racy_cells()) racy_[static_cast<size_t>(cell)] = 1;
    successors_.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      const auto step = static_cast<int32_t>(i);
      const auto needs = order.predecessors(step);
      missing_[i] = static_cast<int32_t>(needs.size());
      for (const int32_t p : needs) successors_[static_cast<size_t>(p)].push_back(step);
      if (needs.empty()) add_ready(step);
    }
  }

  Visited run(const std::function<bool(const Schedule&)>& visit) {
    if (order_.size() == 0) return visit(schedule_) ? Visited::all : Visited::stopped;
    push({});
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next > 0) {  // back from the orders that go on with choices[next - 1]
        take_back();
        frame.sleep.push_back(frame.choices[frame.next - 1]);
      }
      if (frame.next == frame.choices.size()) {
        frames_.pop_back();
        continue;
      }
      const int32_t step = frame.choices[frame.next++];
      std::vector<int32_t> asleep = still_asleep(frame.sleep, step);
      left_ -= 1 + static_cast<int64_t>(frame.sleep.size());
      if (left_ <= 0) return Visited::given_up;
      take(step);
      if (schedule_.size() < order_.size())
        push(std::move(asleep));
      else if (!visit(schedule_))
        return Visited::stopped;
      else
        push_nothing();
    }
    return Visited::all;
  }

 private:
  struct Frame {
    std::vector<int32_t> choices;
    std::vector<int32_t> sleep;
    size_t next = 0;
  };

  bool is_calm(int32_t step) const {
    const auto uses = uses_.of_step(step);
    return std::none_of(uses.begin(), uses.end(),
                        [&](const Use& use) { return racy_[static_cast<size_t>(use.cell)] != 0; });
  }

  void add_ready(int32_t step) { (is_calm(step) ? calm_ : ready_).insert(step); }
  void take_ready(int32_t step) {
    if (calm_.erase(step) == 0) ready_.erase(step);
  }

  // What may come next: a calm step alone, else all that is ready and not asleep. A calm step is
  // never asleep, for nothing was tried in its place.
  void push(std::vector<int32_t> asleep) {
    Frame frame;
    if (!calm_.empty()) {
      frame.choices = {*calm_.begin()};
    } else {
      for (const int32_t step : ready_)
        if (std::find(asleep.begin(), asleep.end(), step) == asleep.end())
          frame.choices.push_back(step);
      left_ -= static_cast<int64_t>(ready_.size());
    }
    frame.sleep = std::move(asleep);
    frames_.push_back(std::move(frame));
  }
  void push_nothing() { frames_.push_back({}); }

  std::vector<int32_t> still_asleep(const std::vector<int32_t>& sleep, int32_t step) const {
    std::vector<int32_t> still;
    for (const int32_t other : sleep)
      if (uses_.conflict_cell(step, other) < 0) still.push_back(other);
    return still;
  }

  void take(int32_t step) {
    schedule_.push_back(step);
    take_ready(step);
    for (const int32_t next : successors_[static_cast<size_t>(step)])
      if (--missing_[static_cast<size_t>(next)] == 0) add_ready(next);
  }

  void take_back() {
    const int32_t step = schedule_.back();
    schedule_.pop_back();
    for (const int32_t next : successors_[static_cast<size_t>(step)])
      if (missing_[static_cast<size_t>(next)]++ == 0) take_ready(next);
    add_ready(step);
  }

  const order::StepOrder& order_;
  const Footprints& uses_;
  int64_t left_;
  std::vector<int32_t> missing_;  // predecessors that have not run
  std::vector<std::vector<int32_t>> successors_;
  std::vector<uint8_t> racy_;  // by cell
  std::set<int32_t> calm_;     // ready steps that use no racy cell
  std::set<int32_t> ready_;    // the others
  std::vector<Frame> frames_;
  Schedule schedule_;
};

}  // namespace

Visited for_each_order(const order::StepOrder& order, const Footprints& uses, int64_t steps,
                       const std::function<bool(const Schedule&)>& visit) {
  return Search(order, uses, steps).run(visit);
}

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// How many swaps each step takes is counted with a Fenwick tree, in O(n log n).
#include "explore/bisect.h"

#include <algorithm>

namespace bohr::explore {

namespace {

// Counts of what is left at each place.
class Fenwick {
 public:
  explicit Fenwick(size_t size) : tree_(size + 1, 0) {
    for (size_t i = 1; i <= size; ++i) add(i - 1, 1);
  }
  void add(size_t place, int64_t change) {
    for (size_t i = place + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += change;
  }
  int64_t below(size_t place) const {
    int64_t sum = 0;
    for (size_t i = place; i > 0; i -= i & (~i + 1)) sum += tree_[i];
    return sum;
  }

 private:
  std::vector<int64_t> tree_;
};

}  // namespace

SwapPath::SwapPath(Schedule good, Schedule bad) : good_(std::move(good)), bad_(std::move(bad)) {
  BOHR_CHECK(good_.size() == bad_.size());
  std::vector<size_t> place(good_.size());
  for (size_t i = 0; i < good_.size(); ++i) place[static_cast<size_t>(good_[i])] = i;
  Fenwick left(good_.size());
  before_.push_back(0);
  for (const int32_t step : bad_) {
    const size_t at = place[static_cast<size_t>(step)];
    before_.push_back(before_.back() + left.below(at));
    left.add(at, -1);
  }
}

Schedule SwapPath::at(int64_t count) const {
  const auto next = std::upper_bound(before_.begin(), before_.end(), count);
  const auto done = static_cast<size_t>(next - before_.begin()) - 1;  // steps in their place
  Schedule schedule(bad_.begin(),
                    bad_.begin() + static_cast<ptrdiff_t>(std::min(done, bad_.size())));
  if (done >= bad_.size()) return schedule;
  std::vector<uint8_t> placed(good_.size(), 0);
  for (const int32_t step : schedule) placed[static_cast<size_t>(step)] = 1;
  for (const int32_t step : good_)
    if (!placed[static_cast<size_t>(step)]) schedule.push_back(step);
  // The step under way has made count - before_[done] swaps to the left.
  auto at = std::find(schedule.begin() + static_cast<ptrdiff_t>(done), schedule.end(), bad_[done]);
  for (int64_t left = count - before_[done]; left > 0; --left, --at) std::iter_swap(at, at - 1);
  return schedule;
}

Result<Critical> bisect(const Schedule& good, const Schedule& bad,
                        const std::function<Result<bool>(const Schedule&)>& is_good) {
  const SwapPath path(good, bad);
  int64_t low = 0, high = path.swaps();
  BOHR_CHECK(high > 0);
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    BOHR_TRY(still_good, is_good(path.at(middle)));
    (still_good ? low : high) = middle;
  }
  Critical critical{path.at(low), path.at(high), 0, 0, 0};
  while (critical.good[critical.place] == critical.bad[critical.place]) ++critical.place;
  critical.first = critical.good[critical.place];
  critical.second = critical.good[critical.place + 1];
  return critical;
}

}  // namespace bohr::explore

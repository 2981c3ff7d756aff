// SPDX-License-Identifier: Apache-2.0
// From a good and a bad schedule to two that differ in one swap of neighbours.
//
// Sorting the good schedule into the bad one by insertion swaps neighbours only, and only such that
// the two schedules order differently; as both are legal, those are unordered, so every schedule on
// the way is legal. Somewhere on the way "good" turns to "bad", and a binary search finds such a
// place, whether or not it is the only one: it keeps a good schedule below and a bad one above.
// It takes ceil(log2 swaps) replays, and no knowledge of what the steps access.
#pragma once

#include <functional>

#include "base/result.h"
#include "explore/schedules.h"

namespace bohr::explore {

class SwapPath {
 public:
  SwapPath(Schedule good, Schedule bad);
  int64_t swaps() const { return before_.back(); }
  // After the first `count` swaps; 0: good, swaps(): bad.
  Schedule at(int64_t count) const;

 private:
  Schedule good_;
  Schedule bad_;
  std::vector<int64_t> before_;  // swaps made before bad_[i] is brought to its place
};

struct Critical {
  Schedule good;
  Schedule bad;
  int32_t first = 0;  // the two neighbours, as the good schedule has them
  int32_t second = 0;
  size_t place = 0;  // of `first` in the good schedule
};

// `is_good` runs one replay. Ends early with its error.
Result<Critical> bisect(const Schedule& good, const Schedule& bad,
                        const std::function<Result<bool>(const Schedule&)>& is_good);

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// The lists of all steps are uploaded at once: a call that allocates would wait for the device.
#include "replay/cuda/silent_writes.h"

#include <map>

namespace bohr::replay::cuda {

namespace {

using Ranges = std::vector<ByteRange>;

// What of one block that a step may write no step was seen to change.
struct Suspect {
  size_t step = 0;
  Ranges ranges;
};

// In the order of the steps.
Result<std::vector<Suspect>> suspects_of(Guard* guard, std::span<const PlanStep> steps,
                                         const std::vector<Ranges>& changed) {
  Ranges seen;
  for (const Ranges& ranges : changed) seen.insert(seen.end(), ranges.begin(), ranges.end());
  seen = merged(std::move(seen));
  std::map<ByteRange, bool> holds_addresses;
  std::vector<Suspect> suspects;
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const ByteRange& range : steps[i].may_write) {
      if (!steps[i].runs || !guard->contains(range)) continue;
      const auto known = holds_addresses.try_emplace(range, true);
      if (known.second) {
        BOHR_TRY(holds, guard->holds_addresses(range));
        known.first->second = holds;
      }
      if (known.first->second) continue;
      Ranges left = guard->comparable(without({&range, 1}, seen));
      if (!left.empty()) suspects.push_back({i, std::move(left)});
    }
  }
  return suspects;
}

}  // namespace

Result<std::vector<Ranges>> silent_writes(Guard* guard, std::span<const PlanStep> steps,
                                          const std::vector<Ranges>& changed,
                                          const std::function<Status(int32_t)>& issue) {
  BOHR_TRY(suspects, suspects_of(guard, steps, changed));
  std::vector<Ranges> silent(steps.size());
  if (suspects.empty()) return silent;
  std::vector<Ranges> cleared;
  for (const Suspect& suspect : suspects) cleared.push_back(suspect.ranges);
  BOHR_TRY(lists, guard->zero_lists(cleared));
  BOHR_TRY_STATUS(guard->restore_all());
  BOHR_TRY_STATUS(guard->watch());
  size_t next = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto step = static_cast<int32_t>(i);
    for (; next < suspects.size() && suspects[next].step == i; ++next) {
      for (const ByteRange& range : suspects[next].ranges) BOHR_TRY_STATUS(guard->clear(range));
      BOHR_TRY_STATUS(issue(step));
      BOHR_TRY(written, guard->not_zero(lists, next));
      silent[i].insert(silent[i].end(), written.begin(), written.end());
      for (const ByteRange& range : steps[i].named) BOHR_TRY_STATUS(guard->put_back_watched(range));
    }
    BOHR_TRY_STATUS(issue(step));
    if (const auto now = guard->changes(); !now.ok()) return now.error();
  }
  return silent;
}

}  // namespace bohr::replay::cuda

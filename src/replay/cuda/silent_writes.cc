// SPDX-License-Identifier: Apache-2.0
// The lists of all steps are uploaded at once: a call that allocates would wait for the device.
#include "replay/cuda/silent_writes.h"

#include <algorithm>
#include <map>

namespace bohr::replay::cuda {

namespace {

using Ranges = std::vector<ByteRange>;

// By step, what of the memory that it may write no step was seen to change.
Result<std::vector<Ranges>> suspects_of(Guard* guard, std::span<const PlanStep> steps,
                                        const std::vector<Ranges>& changed) {
  Ranges seen;
  for (const Ranges& ranges : changed) seen.insert(seen.end(), ranges.begin(), ranges.end());
  seen = merged(std::move(seen));
  std::map<ByteRange, bool> holds_addresses;
  std::vector<Ranges> suspects;
  for (const PlanStep& step : steps) {
    Ranges own;
    for (const ByteRange& range : step.may_write) {
      if (!step.runs || !guard->contains(range)) continue;
      const auto known = holds_addresses.try_emplace(range, true);
      if (known.second) {
        BOHR_TRY(holds, guard->holds_addresses(range));
        known.first->second = holds;
      }
      if (known.first->second) continue;
      const Ranges left = without({&range, 1}, seen);
      own.insert(own.end(), left.begin(), left.end());
    }
    suspects.push_back(guard->comparable(merged(std::move(own))));
  }
  return suspects;
}

}  // namespace

Result<std::vector<Ranges>> silent_writes(Guard* guard, std::span<const PlanStep> steps,
                                          const std::vector<Ranges>& changed,
                                          const std::function<Status(int32_t)>& issue) {
  BOHR_TRY(suspects, suspects_of(guard, steps, changed));
  std::vector<Ranges> silent(steps.size());
  const bool none = std::all_of(suspects.begin(), suspects.end(),
                                [](const Ranges& ranges) { return ranges.empty(); });
  if (none) return silent;
  BOHR_TRY(lists, guard->zero_lists(suspects));
  BOHR_TRY_STATUS(guard->restore_all());
  BOHR_TRY_STATUS(guard->watch());
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto step = static_cast<int32_t>(i);
    if (!suspects[i].empty()) {
      for (const ByteRange& range : suspects[i]) BOHR_TRY_STATUS(guard->clear(range));
      BOHR_TRY_STATUS(issue(step));
      BOHR_TRY(written, guard->not_zero(lists, i));
      silent[i] = std::move(written);
      for (const ByteRange& range : steps[i].named) BOHR_TRY_STATUS(guard->put_back_watched(range));
    }
    BOHR_TRY_STATUS(issue(step));
    if (const auto now = guard->changes(); !now.ok()) return now.error();
  }
  return silent;
}

}  // namespace bohr::replay::cuda

// SPDX-License-Identifier: Apache-2.0
// Times are by suspect and run; the median needs them all.
#include "explore/own_runs.h"

#include <algorithm>

namespace bohr::explore {

namespace {

constexpr int64_t kNoTime = -1;

// From the end of the first to the start of the second; 0 where the second did not wait for that.
// The first is the one that the baseline runs first.
int64_t slack(const std::vector<replay::Span>& spans, int32_t first, int32_t second) {
  const replay::Span& a = spans[static_cast<size_t>(first)];
  const replay::Span& b = spans[static_cast<size_t>(second)];
  if (a.begin_ns < 0 || b.begin_ns < 0) return kNoTime;
  return std::max<int64_t>(0, b.begin_ns - a.end_ns);
}

int64_t median(std::vector<int64_t> times) {
  const auto middle = times.begin() + static_cast<ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

bool is_wrong(const Runner& runner, const Baseline& baseline, std::vector<uint64_t> outputs) {
  const Run left{baseline.reference.steps, std::move(outputs), {}, true};
  return !runner.difference(baseline.schedule, baseline.reference, left).outputs.empty();
}

}  // namespace

Status has_own_runs(Runner* runner, uint64_t seed) {
  const auto outcome = runner->replayer().run_unforced(seed);
  if (!outcome.ok()) return outcome.error();
  return Nothing{};
}

Status run_by_itself(Runner* runner, const Baseline& baseline, const std::vector<Suspect>& suspects,
                     int32_t runs, uint64_t seed, Exploration* result) {
  std::vector<int32_t> place(baseline.schedule.size());
  for (size_t i = 0; i < place.size(); ++i)
    place[static_cast<size_t>(baseline.schedule[i])] = static_cast<int32_t>(i);
  std::vector<std::vector<int64_t>> times(suspects.size());
  for (int32_t run = 0; run < runs; ++run) {
    BOHR_TRY(outcome, runner->replayer().run_unforced(seed + static_cast<uint64_t>(run)));
    BOHR_TRY(outputs, runner->output_digests());
    ++result->own.runs;
    result->own.different += is_wrong(*runner, baseline, std::move(outputs));
    if (outcome.spans.empty()) continue;
    for (size_t i = 0; i < suspects.size(); ++i) {
      int32_t first = suspects[i].first, second = suspects[i].second;
      if (place[static_cast<size_t>(first)] > place[static_cast<size_t>(second)])
        std::swap(first, second);
      const int64_t time = slack(outcome.spans, first, second);
      if (time != kNoTime) times[i].push_back(time);
    }
  }
  for (size_t i = 0; i < suspects.size(); ++i) {
    if (times[i].empty()) continue;
    result->trials[i].slack_ns = median(times[i]);
    result->trials[i].no_slack = std::count(times[i].begin(), times[i].end(), 0);
  }
  return Nothing{};
}

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// Sources are told from consequences by following what was read, in the order of the baseline.
#include "explore/calibrate.h"

#include <algorithm>

namespace bohr::explore {

namespace {

// Steps that differ between two replays of one schedule, and that read nothing which another one
// of them wrote last.
std::vector<int32_t> sources(const Footprints& uses, const Schedule& schedule, const Run& a,
                             const Run& b) {
  std::vector<uint8_t> tainted(uses.cells(), 0);
  std::vector<int32_t> result;
  for (const int32_t step : schedule) {
    const auto i = static_cast<size_t>(step);
    const bool differs = a.steps[i] != b.steps[i];
    bool reads_tainted = false;
    for (const Use& use : uses.of_step(step))
      reads_tainted = reads_tainted || (use.reads && tainted[static_cast<size_t>(use.cell)]);
    if (differs && !reads_tainted) result.push_back(step);
    for (const Use& use : uses.of_step(step))
      if (use.writes) tainted[static_cast<size_t>(use.cell)] = differs;
  }
  return result;
}

}  // namespace

Result<Calibrated> calibrate(Runner* runner, const Footprints& uses, const Schedule& baseline,
                             int32_t rounds) {
  Calibrated result;
  const int64_t before = runner->replays();
  BOHR_TRY(first, runner->run(baseline));
  result.reference = std::move(first);
  for (int32_t agreed = 1; agreed < rounds;) {
    BOHR_TRY(again, runner->run(baseline));
    const std::vector<int32_t> varying = sources(uses, baseline, result.reference, again);
    if (!varying.empty()) {
      BOHR_TRY(recorded, runner->run(baseline, varying));
      for (size_t i = 0; i < varying.size(); ++i) {
        result.pinned.push_back(varying[i]);
        runner->pin(varying[i], std::move(recorded.kept[i]));
      }
      BOHR_TRY(pinned, runner->run(baseline));
      result.reference = std::move(pinned);
      agreed = 1;
      continue;
    }
    for (size_t i = 0; i < again.outputs.size(); ++i)
      if (again.outputs[i] != result.reference.outputs[i]) runner->mask(static_cast<int32_t>(i));
    ++agreed;
  }
  result.replays = static_cast<int32_t>(runner->replays() - before);
  return result;
}

double masked_share(const Runner& runner, const Footprints& uses, const Schedule& baseline,
                    std::span<const int32_t> pinned) {
  bool any_masked = !pinned.empty() || runner.ignored_output_bytes() > 0;
  for (size_t i = 0; i < runner.outputs().size(); ++i)
    any_masked = any_masked || runner.is_masked(static_cast<int32_t>(i));
  if (!any_masked) return 0;
  std::vector<int32_t> last_writer(uses.cells(), -1);
  for (const int32_t step : baseline)
    for (const Use& use : uses.of_step(step))
      if (use.writes) last_writer[static_cast<size_t>(use.cell)] = step;
  std::vector<uint8_t> is_pinned(baseline.size(), 0);
  for (const int32_t step : pinned) is_pinned[static_cast<size_t>(step)] = 1;
  uint64_t all = runner.ignored_output_bytes(), masked = all;
  for (size_t i = 0; i < runner.outputs().size(); ++i) {
    const ByteRange output = runner.outputs()[i].range;
    all += output.size();
    if (runner.is_masked(static_cast<int32_t>(i))) {
      masked += output.size();
      continue;
    }
    for (size_t cell = uses.first_cell(output.begin); cell < uses.cells(); ++cell) {
      const ByteRange range = uses.range(static_cast<int32_t>(cell));
      if (range.begin >= output.end) break;
      if (last_writer[cell] >= 0 && is_pinned[static_cast<size_t>(last_writer[cell])])
        masked += output.intersection(range).size();
    }
  }
  return all == 0 ? 0 : static_cast<double>(masked) / static_cast<double>(all);
}

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
#include "explore/own_launches.h"

#include <algorithm>

namespace bohr::explore {

Result<std::optional<OwnOutputs>> own_outputs(Runner* runner, uint64_t seed, int32_t runs) {
  OwnOutputs own;
  for (int32_t i = 0; i < runs; ++i) {
    const auto outcome = runner->replayer().run_unforced(seed + static_cast<uint64_t>(i));
    if (!outcome.ok() && outcome.error().code == "no-own-run") return std::optional<OwnOutputs>();
    if (!outcome.ok()) return outcome.error();
    BOHR_TRY(outputs, runner->output_digests());
    if (i == 0) own.assign(outputs.begin(), outputs.end());
    for (size_t output = 0; output < outputs.size(); ++output)
      if (own[output] != outputs[output]) own[output] = std::nullopt;
  }
  return std::optional<OwnOutputs>(std::move(own));
}

bool is_stable(const OwnOutputs& own) {
  return std::all_of(own.begin(), own.end(),
                     [](const std::optional<uint64_t>& output) { return output.has_value(); });
}

bool agree(const std::vector<uint64_t>& outputs, const OwnOutputs& own) {
  for (size_t i = 0; i < own.size(); ++i)
    if (own[i] && *own[i] != outputs[i]) return false;
  return true;
}

namespace {

// By cell: what stands there at the end follows from a pinned step.
std::vector<uint8_t> varying_cells(const Footprints& uses, const Schedule& baseline,
                                   std::span<const int32_t> pinned) {
  std::vector<uint8_t> cells(uses.cells(), 0);
  for (const int32_t step : baseline) {
    bool varies = std::find(pinned.begin(), pinned.end(), step) != pinned.end();
    for (const Use& use : uses.of_step(step))
      if (use.reads || !use.known) varies = varies || cells[static_cast<size_t>(use.cell)] != 0;
    for (const Use& use : uses.of_step(step)) {
      uint8_t& cell = cells[static_cast<size_t>(use.cell)];
      if (use.writes) cell = varies || (!use.known && cell != 0) ? 1 : 0;
    }
  }
  return cells;
}

}  // namespace

bool vary_as_pinned(const Runner& runner, const Footprints& uses, const Schedule& baseline,
                    std::span<const int32_t> pinned, const OwnOutputs& own) {
  const std::vector<uint8_t> varies = varying_cells(uses, baseline, pinned);
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] || runner.is_masked(static_cast<int32_t>(i))) continue;
    const ByteRange output = runner.outputs()[i].range;
    bool follows = false;
    for (size_t cell = uses.first_cell(output.begin); cell < uses.cells() && !follows; ++cell) {
      if (uses.range(static_cast<int32_t>(cell)).begin >= output.end) break;
      follows = varies[cell] != 0;
    }
    if (!follows) return false;
  }
  return true;
}

}  // namespace bohr::explore

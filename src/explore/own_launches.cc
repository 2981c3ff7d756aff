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

}  // namespace bohr::explore

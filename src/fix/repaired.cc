// SPDX-License-Identifier: Apache-2.0
#include "fix/repaired.h"

#include "fix/apply.h"

namespace bohr::fix {

Result<Repaired> repaired(const Setting& setting, std::span<const RepairPart> parts) {
  std::vector<int32_t> places;
  BOHR_TRY(program, with_repairs(setting.program, parts, &places));
  Repaired result{std::move(program), setting.check};
  for (SettledPair& pair : result.check.settled) {
    if (!pair.first_graph.valid()) pair.first = places[static_cast<size_t>(pair.first)];
    if (!pair.second_graph.valid()) pair.second = places[static_cast<size_t>(pair.second)];
  }
  return result;
}

}  // namespace bohr::fix

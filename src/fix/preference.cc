// SPDX-License-Identifier: Apache-2.0
#include "fix/preference.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace bohr::fix {

void by_preference(std::span<Repair> proposals) {
  const auto known = [](const Repair& repair) {
    return !repair.verified || repair.cost.critical_us > 0;
  };
  if (!std::all_of(proposals.begin(), proposals.end(), known)) return;
  const auto key = [](const Repair& repair) {
    constexpr double kAlike = 10;  // by tenths of a microsecond
    if (!repair.verified) return std::tuple(true, size_t{0}, int64_t{0}, uint64_t{0});
    return std::tuple(false, repair.parts.size(),
                      static_cast<int64_t>(std::lround(repair.cost.critical_us * kAlike)),
                      repair.cost.pool_bytes);
  };
  std::stable_sort(proposals.begin(), proposals.end(),
                   [&](const Repair& a, const Repair& b) { return key(a) < key(b); });
}

}  // namespace bohr::fix

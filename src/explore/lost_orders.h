// SPDX-License-Identifier: Apache-2.0
// Orders that ended the process they ran in, in earlier searches of the same work. What ran to its
// end is tried again with a stop at its first damage; what was lost even so is never run again: it
// counts as an order that differs.
#pragma once

#include <string>
#include <vector>

#include "explore/schedules.h"

namespace bohr::explore {

struct LostOrder {
  Schedule order;
  bool stopping = false;        // it would have stopped at its first damage
  bool other_contents = false;  // it started with others than those that stood there
  std::string reason;           // `process-lost`, `watchdog` or `remote-lost`
  bool operator==(const LostOrder&) const = default;
};

// After so many the search runs no more order on beyond its first damage.
constexpr size_t kMostRunOnLosses = 3;

}  // namespace bohr::explore

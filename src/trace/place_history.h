// SPDX-License-Identifier: Apache-2.0
// Finds where an allocator's events stand among the calls of a recording that did not see them.
//
// Both are told in the order of real time, so each call has a number t of events ahead of it, and t
// never falls. A call that names a block can only stand where that block is handed out: that bounds
// t from both sides. So do times, where both have them, as far as clocks are exact. What these
// bounds do not decide is left open, never chosen: a block that some call might or might not mean
// is left out, and a free of which it is not known whether it came before or behind a wait is
// placed at its last possible place, where most is ordered before it, and counted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "trace/allocator_history.h"
#include "trace/history_blocks.h"
#include "trace/history_calls.h"

namespace bohr::trace {

struct PlacedEvent {
  const HistoryEvent* event = nullptr;
  uint64_t before = 0;  // just ahead of this call, behind the events before; 0: behind all calls
  uint32_t thread = 0;  // of that call
  size_t block = 0;     // index into DeviceHistory::blocks
};

struct PlacedHistory {
  std::vector<PlacedEvent> events;  // alloc and free_requested, in their order
  std::vector<bool> left_out;       // by block
  int64_t frees_open = 0;           // placed late, and perhaps too late
  size_t named = 0;                 // calls that name a block of it
  int64_t contradictions = 0;       // pointers that no place explains
};

// Fails where the calls contradict the history: it is of another run.
Result<PlacedHistory> place_history(const DeviceHistory& history,
                                    const std::vector<HistoryCall>& calls,
                                    const std::string& source);

}  // namespace bohr::trace

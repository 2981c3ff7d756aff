// SPDX-License-Identifier: Apache-2.0
// What an allocator wrote down of itself, outside a recording: PyTorch's memory snapshots, RMM's
// logs. It says in which order blocks were handed out and taken back; place_history.h finds out
// where among the calls of a recording that was.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/writer/records.h"

namespace bohr::trace {

struct HistoryFrame {
  std::string function;
  std::string file;
  uint64_t line = 0;
};

struct HistoryEvent {
  HistoryAction action = HistoryAction::other;
  uint32_t device = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t stream = 0;  // the driver's handle
  uint64_t pool_a = 0, pool_b = 0;
  bool pool_known = false;
  uint64_t time_ns = 0;  // since 1970, or since midnight; 0: not known
  uint32_t stack = 0;    // index into the history's stacks plus 1; 0: not known
};

struct AllocatorHistory {
  std::string source;
  std::string allocator;  // "PyTorch", "RMM"
  // Whether segments are told too. What lies in one whose begin is not told began before the
  // history did, and so may have blocks of which nothing is known.
  bool tells_segments = false;
  bool times_of_day = false;         // of a zone that is not told
  std::vector<HistoryEvent> events;  // in their order, at least within a device
  std::vector<std::vector<HistoryFrame>> stacks;
};

// A snapshot (a pickle, or the same as JSON) or a log, told apart by their first bytes.
Result<AllocatorHistory> read_history(std::span<const uint8_t> bytes, const std::string& source);

}  // namespace bohr::trace

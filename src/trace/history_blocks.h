// SPDX-License-Identifier: Apache-2.0
// The events of one device as hand-outs of blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/range.h"
#include "trace/allocator_history.h"

namespace bohr::trace {

constexpr size_t kNoEvent = SIZE_MAX;

struct HandOut {
  ByteRange range;
  size_t begin = kNoEvent;      // places in the device's events: alloc
  size_t end = kNoEvent;        // free_requested; kNoEvent: never
  size_t completed = kNoEvent;  // free_completed
};

struct DeviceHistory {
  std::vector<const HistoryEvent*> events;
  std::vector<HandOut> blocks;      // in the order of their allocation
  std::vector<size_t> block_of;     // of each event; kNoEvent: of none
  std::vector<ByteRange> doubtful;  // joined: where not all hand-outs are told
  std::vector<ByteRange> told;      // joined: of all blocks
};

DeviceHistory device_history(const AllocatorHistory& history, uint32_t device);

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// The calls of a recording that say something about where an allocator's events stand among them:
// those that name memory, and those that order makes a difference to.
#pragma once

#include <cstdint>
#include <vector>

#include "base/range.h"
#include "trace/import_index.h"
#include "trace/log_reader.h"

namespace bohr::trace {

struct NamedMemory {
  ByteRange range;      // one byte where only a pointer is known
  bool strong = false;  // the work surely names a block there: no leftover of a large structure
};

struct HistoryCall {
  uint64_t seq = 0;
  uint64_t time_ns = 0;  // it was not entered before; 0: not known
  uint32_t thread = 0;
  uint32_t capture = 0;   // that is open ahead of it; 0: none
  bool boundary = false;  // a capture begins or ends here
  bool orders = false;    // a stream or a thread waits
  bool works = false;     // work on a stream that others of its context may wait for implicitly
  ByteRange allocated;    // a driver allocation
  std::vector<NamedMemory> names;
};

// By sequence number.
std::vector<HistoryCall> history_calls(const Log& log, const LogIndex& index);

}  // namespace bohr::trace

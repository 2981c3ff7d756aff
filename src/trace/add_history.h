// SPDX-License-Identifier: Apache-2.0
// Gives a recording the blocks of an allocator that it did not see: the same records that the
// Python shim makes, so that nothing behind it tells the two apart.
#pragma once

#include <cstdint>

#include "trace/allocator_history.h"
#include "trace/log_reader.h"

namespace bohr::trace {

struct AddedHistory {
  Log log;
  int64_t blocks = 0;
  int64_t left_out = 0;  // see place_history.h
  int64_t frees_open = 0;
};

// Refuses a recording that has its allocator's blocks already, one that does not tell the handles
// of its streams, and a history of another run.
Result<AddedHistory> add_history(const Log& log, AllocatorHistory history);

}  // namespace bohr::trace

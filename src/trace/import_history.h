// SPDX-License-Identifier: Apache-2.0
// Matches the framework allocator's live callbacks, which say when, with the entries of its own
// memory history, which say what.
#pragma once

#include <cstdint>
#include <vector>

#include "base/range.h"
#include "trace/import_diagnostics.h"
#include "trace/import_index.h"

namespace bohr::trace {

// One hand-out of a block. `free_seq` 0: never freed. `after`: just after that sequence number
// rather than just before it.
struct BlockLife {
  const BlockAlloc* alloc = nullptr;
  const History* described = nullptr;
  uint64_t free_seq = 0;
  bool after = false;
  uint32_t free_thread = 0;
  uint32_t free_stack = 0;
  uint32_t free_stream = 0;
};

struct BlockLives {
  std::vector<BlockLife> lives;     // in the order of their allocation
  std::vector<ByteRange> unplaced;  // bytes of blocks whose callbacks and entries disagree
};

BlockLives match_history(const LogIndex& index, Diagnostics* diagnostics);

}  // namespace bohr::trace

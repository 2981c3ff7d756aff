// SPDX-License-Identifier: Apache-2.0
// Physical memory that shows at more than one address (cuMemMap of one handle twice, or again
// elsewhere). It is one lifetime, from its first mapping to the end of its last, whose bytes have
// one place in the program's address space; what goes through any of its addresses is an access to
// that place. Memory with one address is not touched by this: its place is its address.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/range.h"
#include "trace/import_index.h"
#include "trace/log_reader.h"

namespace bohr::trace {

struct SharedMemory {
  ByteRange place;       // of all its bytes that are ever mapped
  uint64_t first = 0;    // which of its bytes lies at place.begin
  int64_t mappings = 0;  // that have not ended yet
  LifetimeId lifetime;   // valid from the first mapping on
};

class Aliases {
 public:
  Aliases(const Log& log, const LogIndex& index);

  // What an allocation maps; null where it has no other address.
  SharedMemory* of(const MemAlloc& alloc, uint64_t* offset);

 private:
  const LogIndex& index_;
  std::unordered_map<uint32_t, SharedMemory> shared_;  // by number of the physical memory
};

}  // namespace bohr::trace

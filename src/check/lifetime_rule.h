// SPDX-License-Identifier: Apache-2.0
// Class `lifetime`: a block that was freed while a use on another stream is not ordered before what
// its owner stream would do next. Nothing has the bytes yet, so nothing is wrong yet; the allocator
// may hand them out at any time.
//
// The owner's next op is hypothetical. Outside captures its row is that of the `free` op (the owner
// stream and the freeing thread as they stand there) and of the records that the allocator made for
// streams it was told of; inside a capture it is what the free's mark holds: the owner's frontier.
// A use whose bytes a later lifetime has reused is left to class `reuse`.
#pragma once

#include <vector>

#include "check/arena.h"
#include "check/facts.h"
#include "check/uses.h"

namespace bohr::check {

struct LifetimeHazard {
  LifetimeId lifetime;
  Place use;
  int32_t access = 0;
  uint8_t kinds = 0;  // of all its accesses to the block, against the owner's next write
};

std::vector<LifetimeHazard> lifetime_hazards(const Program& program, const Arenas& arenas,
                                             const Facts& facts, const Uses& uses);

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory (a driver's pool, a graph's own) is there from the point where its
// allocation stands in its stream or graph. A use that is not ordered behind that point may find no
// memory, or somebody else's. It is told as class `data`: an order between two pieces of work is
// missing, and one edge or wait is what repairs it.
#pragma once

#include <vector>

#include "check/arena.h"
#include "check/pairs.h"
#include "check/uses.h"

namespace bohr::check {

struct EarlyUse {
  Place made;  // the allocation: its node, or the hidden record behind it
  Place use;
  int32_t access = 0;
};

// Each op or node once for a lifetime, by lifetime.
std::vector<EarlyUse> early_uses(const Program& program, const Arenas& arenas, const Uses& uses);

}  // namespace bohr::check

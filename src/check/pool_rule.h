// SPDX-License-Identifier: Apache-2.0
// Class `pool`: accesses are ordered, but a graph's baked address belongs to another instance by
// the time it is replayed. Found by reads-from: in issue order we keep, for each byte that several
// lifetimes share, through which of them it was last written. A read (or, at the end, an output)
// through a lifetime that had written the byte itself, but finds it written through another, is
// harm. Transients that share a pool in order never show it, since each writes before it reads.
//
// The pair is named by the stale side: the node whose baked address is of the older lifetime, and
// the first access of the other one. Where the older side is no node, the node of the other side
// and the first access of the older lifetime.
//
// A pool hazard is about ordered accesses: where the clobbering write is unordered with the victim,
// or with the lost write, the pair is a hazard of another class already.
#pragma once

#include <vector>

#include "check/arena.h"
#include "check/facts.h"
#include "check/uses.h"
#include "model/verdict.h"

namespace bohr::check {

struct PoolHazard {
  Place first;
  int32_t first_access = 0;
  Place second;
  int32_t second_access = 0;
  uint8_t kinds = 0;    // over all accesses of the two through the two lifetimes
  bool decided = true;  // false: a direction is not known
};

std::vector<PoolHazard> pool_hazards(const Program& program, const Arenas& arenas,
                                     const Facts& facts, const Uses& uses);

}  // namespace bohr::check

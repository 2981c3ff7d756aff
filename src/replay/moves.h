// SPDX-License-Identifier: Apache-2.0
// Blocks that lie elsewhere in a repaired program, and what steps see of it.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "replay/replayer.h"

namespace bohr::replay {

// From the recorded program to one with the same steps whose accesses lie elsewhere in part: a move
// for each block, for the steps that access it there. Refuses (`replay-moved`) what no other
// address brings about: a block in several pieces, and a step that would find one old place in two
// new ones.
Result<std::vector<Move>> moves_between(const Program& recorded, const Program& moved);

// Where a step finds these ranges, which are sorted and disjoint: the same bytes in the same order,
// cut where moved ones begin and end.
std::vector<ByteRange> seen_at(std::span<const ByteRange> ranges, int32_t step,
                               std::span<const Move> moves);

}  // namespace bohr::replay

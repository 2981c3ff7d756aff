// SPDX-License-Identifier: Apache-2.0
// From words that changed to ranges that are written.
//
// A word that gets the value it had does not show, so what a step was seen to change has holes. A
// hole between two changed words of one block that the step names is taken for written, unless
// another step changed words that lie all within the hole: then the two interleave (columns of one
// matrix, say) and the hole is the other's. What covers the hole and more is another use of the
// same memory and says nothing.
//
// Two steps that each write a part of one aligned word of 4 bytes are both taken to write it whole.
// And this may take bytes for written that are not, where a step skips some that nobody else
// writes; comparing them does no harm, for nobody else changes them.
#pragma once

#include <span>
#include <vector>

#include "base/range.h"

namespace bohr::replay::cuda {

using Ranges = std::vector<ByteRange>;

// By step: what changed, and the blocks that it names (both sorted and disjoint). Returns by step
// what it writes, sorted and disjoint.
std::vector<Ranges> written_by(const std::vector<Ranges>& changed,
                               const std::vector<Ranges>& blocks);

}  // namespace bohr::replay::cuda

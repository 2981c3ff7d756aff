// SPDX-License-Identifier: Apache-2.0
// From bytes that changed to ranges that are written.
//
// A byte that gets the value it had does not show, so what a step was seen to change has holes. A
// hole of up to 16 bytes is taken for written. A longer one, between two changed bytes of one
// block that the step names, is too, unless another step changed bytes that lie all within the
// hole: then the two interleave (columns of one matrix, say) and the hole is the other's. What
// covers the hole and more is another use of the same memory and says nothing.
//
// This may take bytes for written that are not, where a step skips some that nobody else writes;
// comparing them does no harm, for nobody else changes them.
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

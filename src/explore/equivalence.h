// SPDX-License-Identifier: Apache-2.0
// Orders that cannot differ are tried once.
//
// Two schedules are equivalent when every two conflicting uses of a cell come in the same order in
// both: then each step reads the same in both, and both leave the same bytes. Only racy cells can
// tell two legal orders apart. The key of a schedule is a hash over what each of them goes through:
// its writes in turn, and between them the set of reads, or of atomic updates.
#pragma once

#include <cstdint>

#include "explore/footprints.h"
#include "explore/schedules.h"

namespace bohr::explore {

uint64_t order_key(std::span<const int32_t> schedule, const Footprints& uses);

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// What steps write although it does not show: a step that writes what stood there already changes
// nothing. A launch that gets the same inputs each time does hardly anything else.
//
// Where a step may write and no step was seen to, it is run once with zeros there; what is no
// longer zero afterwards it wrote. This is done block by block, for one of them is its input, and
// twice nothing is nothing. Then memory is put back and it is run as it is. Only that step sees the
// zeros, and only where no step of the launch changed anything, so it can be no count or flag that
// another step has set. Assumes that zeros do no harm to a kernel that reads them, for which tables
// of pointers are left out. Zeros written over zeros stay unseen, and so do
// writes before the first multiple of 16 in a range.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "replay/cuda/guard.h"
#include "replay/plan.h"

namespace bohr::replay::cuda {

// By step; `changed`: what each was seen to change. `issue` runs a step. Starts from what was
// saved, and leaves memory as after a whole run in issue order.
Result<std::vector<std::vector<ByteRange>>> silent_writes(
    Guard* guard, std::span<const PlanStep> steps,
    const std::vector<std::vector<ByteRange>>& changed,
    const std::function<Status(int32_t)>& issue);

}  // namespace bohr::replay::cuda

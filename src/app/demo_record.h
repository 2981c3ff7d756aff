// SPDX-License-Identifier: Apache-2.0
// The demo's layer as a recorded program: the way that every program takes, from its event log to a
// verdict, an exploration and repairs.
#pragma once

#include "app/demo_layer.h"
#include "app/fix_file.h"
#include "base/result.h"

namespace bohr::app::demo {

struct Recorded {
  Checked checked;
  Ran ran;
};

// Runs the arm for two steps, with its event log in a temporary file, and checks what that holds.
Result<Recorded> record(Arm arm, const Learned& learned);
// The recorded program in other orders, on its own kernels.
Result<Explored> explore_recorded(const Recorded& recorded, uint64_t seed);
Result<Fixed> fix_recorded(const Recorded& recorded, Explored explored, uint64_t seed);

}  // namespace bohr::app::demo

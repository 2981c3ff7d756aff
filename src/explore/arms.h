// SPDX-License-Identifier: Apache-2.0
// Why a race does not show in another arm: the same program with another flag, eager, on one
// stream.
#pragma once

#include <string_view>

#include "explore/footprints.h"
#include "model/exploration.h"

namespace bohr::explore {

// What becomes of a pair of labels in `arm`. Labels are those of the steps, without node numbers
// and launches; where a label stands for several steps, the worst pair of them counts.
ArmState state_in(const Program& arm, const order::StepOrder& order, const Footprints& uses,
                  std::string_view first, std::string_view second);

}  // namespace bohr::explore

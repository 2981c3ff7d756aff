// SPDX-License-Identifier: Apache-2.0
// From an order that leaves other bytes to a witness.
#pragma once

#include <optional>

#include "explore/bisect.h"
#include "explore/footprints.h"
#include "explore/runner.h"
#include "model/exploration.h"
#include "model/verdict.h"

namespace bohr::explore {

// What orders are compared with.
struct Baseline {
  Schedule schedule;
  Run reference;
  bool right = true;  // false: no order is known to be right
};

// `bad` differs from the baseline: in an output if it can be, else in what a step wrote.
Result<Critical> critical_pair(Runner* runner, const Baseline& baseline, const Schedule& bad,
                               bool in_outputs);

// Replays both schedules in alternation and tells how they differ; `whole_too`: each in one piece,
// too, unless it was stopped.
Result<Witness> make_witness(Runner* runner, const Program& program, const Footprints& uses,
                             const order::StepOrder& order, const Baseline& baseline,
                             const Critical& critical, int32_t confirmations, bool whole_too);

}  // namespace bohr::explore

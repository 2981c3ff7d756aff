// SPDX-License-Identifier: Apache-2.0
// What of each class was decided. A class is complete when nothing that could hide a hazard of it
// was lost, unmodelled or left undecided; each gap has a named reason (docs/limits.md).
#pragma once

#include <array>
#include <vector>

#include "model/program.h"
#include "model/verdict.h"

namespace bohr::check {

// From the program's diagnostics and gaps, and the candidates that are not suppressed.
std::array<Coverage, kHazardClasses> coverage_of(const Program& program,
                                                 const std::vector<Cause>& candidate_causes,
                                                 const std::vector<Finding>& candidates);

// Clean, findings or incomplete, from what the verdict holds.
Outcome outcome_of(const Verdict& verdict);

}  // namespace bohr::check

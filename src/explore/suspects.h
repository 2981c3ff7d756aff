// SPDX-License-Identifier: Apache-2.0
// Findings and candidates as pairs of steps, and steps as words.
#pragma once

#include <vector>

#include "explore/footprints.h"
#include "model/exploration.h"
#include "model/verdict.h"

namespace bohr::explore {

// Two steps that conflict and that nothing orders.
struct Suspect {
  int32_t first = 0;  // in issue order
  int32_t second = 0;
  bool candidate = false;
  int32_t index = 0;  // into Verdict::findings or candidates
  int32_t cause = 0;  // 0 for candidates
};

// A pair of nodes is taken from the first launches in which it conflicts. Findings that are no pair
// of steps (classes lifetime and pool) are left out: they have no witness.
std::vector<Suspect> suspects_of(const Program& program, const order::StepOrder& order,
                                 const Footprints& uses, const Verdict& verdict);

// The finding that two steps make, in whatever launch; -1: none.
int32_t finding_of(const Program& program, const Verdict& verdict, const Step& a, const Step& b);

StepName name_of(const Program& program, const Step& step);
// A range as the lifetime that step `owner` uses there names it.
NamedRange name_of(const Program& program, const Footprints& uses, int32_t owner, int32_t cell);
NamedRange name_of(const Program& program, LifetimeId lifetime, ByteRange range);

}  // namespace bohr::explore

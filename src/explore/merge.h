// SPDX-License-Identifier: Apache-2.0
// Explorations of several graphs of one program, told as one.
#pragma once

#include "model/exploration.h"
#include "model/verdict.h"

namespace bohr::explore {

// Both name causes, findings and candidates by one verdict. What is said of all orders holds for
// both together only where it holds for each.
void merge(Exploration more, Exploration* into);

// A trial `outside` for each finding and candidate that none was made for: its steps are not of one
// launch that was explored.
void note_outside(const Verdict& verdict, Exploration* exploration);

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// The fix stage: for each cause repairs that fit it, each verified in a program that has it.
//
// A repair is verified when, with the chosen repairs of the other causes in place, the check finds
// nothing, the explorer finds no order that differs, an order in which every read sees its intended
// writer is still legal, and to take any part of it away brings a finding back. Parts that are not
// needed are dropped before. Chosen is for each cause the first proposal, unless another one makes
// all of them together hold. What was measured puts the verified ones in order: fewest changes,
// then critical path, then memory. What verified ones cost is measured at the end (fix/cost.h).
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "check/check.h"
#include "explore/explore.h"
#include "fix/setting.h"
#include "model/repair.h"
#include "model/verdict.h"
#include "replay/replayer.h"

namespace bohr::fix {

struct Options {
  explore::Options explore;
  check::Options check;  // with which the verdict was made
  ShownOrders shown = {};
  // Runs the repaired program; null: the check alone says what holds (reason `fix-not-replayed`).
  std::function<Result<std::unique_ptr<replay::Replayer>>(const Program&)> replayer;
  bool in_copy = false;  // its memory is moved in a copy of the work, not in the program
  int32_t rounds = 101;  // in which all that is compared runs once, to measure what repairs cost
};

// Errors are those of ordering, checking and exploring the program.
Result<Repairs> fix(const Program& program, const Verdict& verdict, const Options& options);

// The schedules of an exploration's witnesses, by the places of their steps in issue order: for
// each the right one and the wrong one. A repaired program has the same steps.
std::vector<explore::Schedule> schedules_of(const Program& program, const Exploration& exploration);

}  // namespace bohr::fix

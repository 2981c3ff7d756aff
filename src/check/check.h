// SPDX-License-Identifier: Apache-2.0
// check: program -> verdict. Finds conflicting accesses that no order connects, lifetimes that end
// too early, and graphs whose baked addresses belong to somebody else by the time they are
// replayed.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "model/verdict.h"

namespace bohr::check {

struct Options {
  bool strict_threads = false;  // drop the assumption host-order-observed
  int64_t listed_per_cause = 1000;
  std::vector<SettledPair> settled;  // by replays; each decides a candidate
};

// Fails on a program that is no program: a cyclic graph, ranges outside their lifetime.
Result<Verdict> check(const Program& program, const Options& options);

// Marks what a suppression matches (see docs/method.md for the properties), counts its use, and
// brings the outcome up to date. Later ones win nothing: the first match is counted.
void suppress(const Program& program, std::vector<Suppression> suppressions, Verdict* verdict);

// Whether the verdict is clean as far as `classes` go: no unsuppressed finding, and each of them
// completely covered.
bool complete_for(const Verdict& verdict, const std::vector<HazardClass>& classes);

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// What repairs cost, in time and in memory.
//
// Times are measured where the replayer has a clock: the program as it is, twice (what these two
// differ by is noise), all of it serially, and once for each set of repairs, in turn, round by
// round. What is told are medians of the differences within a round. A repair is timed by what it
// adds: the pairs of steps that are ordered in the repaired program alone, and blocks elsewhere.
// Overlap's gain is serial less as it is; where that is not larger than the noise no share of it is
// told. Serial is issue order, as if there were one stream.
//
// The critical path is the longest path of steps through the order, each as long as it takes by
// itself: how fast the work could be if nothing but its order held it up. An estimate: steps that
// run at once slow each other down.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fix/setting.h"
#include "model/cost.h"
#include "model/repair.h"
#include "order/step_order.h"
#include "replay/replayer.h"

namespace bohr::fix {

// Repairs that are in place together.
using Parts = std::vector<RepairPart>;

struct Measured {
  Costs costs;
  std::vector<Cost> sets;
  std::vector<std::string> reasons;  // `fix-not-timed`: what it costs in time is not known
};

// `replayer` runs the program as it is; null: nothing can. Errors are those of ordering the
// repaired program and of running it.
Result<Measured> costs_of(const Setting& setting, std::span<const Parts> sets,
                          replay::Replayer* replayer, int32_t rounds);

// Pairs of steps that only the repaired program orders: with the order that it had before they make
// up all that it has. Both have the same steps.
std::vector<std::pair<int32_t, int32_t>> more_order(const order::StepOrder& as_is,
                                                    const order::StepOrder& repaired);

}  // namespace bohr::fix

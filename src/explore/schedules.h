// SPDX-License-Identifier: Apache-2.0
// Legal serial orders of a program's steps, and the orders that the explorer tries.
//
// A schedule is a permutation of step indices in which every step follows its predecessors.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "order/step_order.h"

namespace bohr::explore {

using Schedule = std::vector<int32_t>;

bool is_legal(const order::StepOrder& order, std::span<const int32_t> schedule);

// The legal order that always runs the ready step of the lowest rank; ranks are by step.
Schedule by_rank(const order::StepOrder& order, std::span<const int64_t> rank);

// The legal order nearest to issue order: issue order itself where that is legal.
Schedule issue_schedule(const order::StepOrder& order);

// `base` with `second`, which comes later in it and is unordered with `first`, moved before
// `first`, and with it only what it needs of the steps between: legal, and of the orders that
// reverse the pair the one that moves fewest steps.
Schedule with_advanced(const order::StepOrder& order, std::span<const int32_t> base, int32_t first,
                       int32_t second);
// The same reversal from the other side: `first` moved behind `second`, and with it only what
// needs it.
Schedule with_delayed(const order::StepOrder& order, std::span<const int32_t> base, int32_t first,
                      int32_t second);

// For chain i the legal order that runs a step of chain i only when nothing else is ready,
// otherwise as `base`. Over all chains these put every unordered pair in both orders: when a step x
// of chain i is run at last, x is the only minimal step left, so all that is left comes after it,
// and every step unordered with x has run (docs/method.md).
Schedule with_chain_delayed(const order::StepOrder& order, std::span<const int32_t> base,
                            int32_t chain);

// PCT: chains get random priorities, and at `depth` - 1 random places of the run the chain that
// would run next falls below all others. A bug of that depth is met with a probability of at least
// pct_bound.
Schedule random_schedule(const order::StepOrder& order, uint64_t seed, int depth);
double pct_bound(const order::StepOrder& order, int depth);

}  // namespace bohr::explore

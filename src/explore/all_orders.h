// SPDX-License-Identifier: Apache-2.0
// Every legal order, up to equivalence.
//
// Depth first over what may come next, with sleep sets: once the orders that begin with step `a`
// have been visited, an order that begins otherwise need not run `a` before something conflicting
// with `a` has run, for swapping neighbours that do not conflict changes nothing. So each class of
// equivalent orders is visited at least once, and prefixes that only lead to classes already
// visited are cut.
#pragma once

#include <functional>

#include "explore/footprints.h"
#include "explore/schedules.h"

namespace bohr::explore {

// Calls `visit` with each; stops when it returns false. Returns whether all were visited.
bool for_each_order(const order::StepOrder& order, const Footprints& uses,
                    const std::function<bool(const Schedule&)>& visit);

}  // namespace bohr::explore

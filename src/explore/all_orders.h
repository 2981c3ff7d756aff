// SPDX-License-Identifier: Apache-2.0
// Every legal order, up to equivalence.
//
// Depth first over what may come next, with sleep sets: once the orders that begin with step `a`
// have been visited, an order that begins otherwise need not run `a` before something conflicting
// with `a` has run, for swapping neighbours that do not conflict changes nothing. So each class of
// equivalent orders is visited at least once, and prefixes that only lead to classes already
// visited are cut.
//
// A ready step that uses no racy cell is run at once, and nothing else is tried in its place: what
// it is unordered with never conflicts with it, so every order is equivalent to one that runs it
// here. Branches are left where steps race.
#pragma once

#include <functional>

#include "explore/footprints.h"
#include "explore/schedules.h"

namespace bohr::explore {

enum class Visited : uint8_t { all, stopped, given_up };

// Calls `visit` with each until it returns false (stopped). Gives up after `steps` steps of the
// search, for prefixes that lead nowhere new cost no replay and can be many.
Visited for_each_order(const order::StepOrder& order, const Footprints& uses, int64_t steps,
                       const std::function<bool(const Schedule&)>& visit);

}  // namespace bohr::explore

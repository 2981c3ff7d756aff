// SPDX-License-Identifier: Apache-2.0
// For each cause of a verdict the repairs that fit it.
//
// lifetime: where the two sides use two instances that share bytes, the older one is held until a
// join that exists already, or where there is none for good. No new order.
// edge: between two stream operations of every class, and to and from threads and agents: the
// fewest edges that order the cause's pairs, in the direction of an order in which every read sees
// its intended writer. Where no such order is known there are none, but of recorded programs, whose
// reads and writes are known in part only, in issue order.
// separate: the younger instance gets memory of its own.
//
// The preferred one comes first: fewest changes, then no new order, then least memory.
#pragma once

#include <vector>

#include "fix/setting.h"
#include "model/repair.h"

namespace bohr::fix {

std::vector<Repair> proposals_for(const Setting& setting, const Cause& cause);

}  // namespace bohr::fix

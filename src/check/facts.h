// SPDX-License-Identifier: Apache-2.0
// What the rules need to know of a program beside its order: which access of a lifetime comes
// first, who may have come before it unseen, where order was lost, and what lies at an address
// next.
#pragma once

#include <vector>

#include "check/arena.h"
#include "check/foreign_waits.h"
#include "check/pairs.h"
#include "model/program.h"
#include "model/verdict.h"

namespace bohr::check {

struct FirstAccess {
  Place place;
  int32_t access = -1;         // -1: never accessed
  bool writer_unseen = false;  // an op between the allocation and it has unreadable parameters
};

struct Facts {
  std::vector<FirstAccess> first;          // by lifetime
  std::vector<int32_t> order_lost_before;  // of op i: ops with lost order before it
  std::vector<WaitsBefore> waits;          // by graph
  std::vector<int32_t> born;               // by lifetime: rank of its allocation in issue order
  std::vector<SettledPair> settled;        // pairs that replays decided
};

Facts gather_facts(const Program& program);

// Whether order may have been lost between two places, and the reason to name.
bool order_lost_between(const Program& program, const Facts& facts, const Place& first,
                        const Place& second, std::string* reason);

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// Which write each read is meant to see.
//
// The intended writer of a read is, among the writes of the same lifetime, the last one ordered
// before it; of several that nothing orders, the last issued. A write issued before the read but
// unordered with it takes that place where no write is ordered before the read, where nothing
// ordered after that write reads it, or where the write that is ordered had been read by others
// when that one was issued, so that issue order leaves neither unread: a missing wait is meant to
// be there. Issue order names the writer; it need not be a right order itself.
//
// The end of the program reads what is an output: of the last writes the last issued is meant.
//
// A serial order is right when between each read and its intended writer no other write comes. Such
// an order need not exist. Atomic updates of one lifetime do not count as other writes.
#pragma once

#include <vector>

#include "explore/footprints.h"
#include "explore/schedules.h"

namespace bohr::explore {

constexpr int32_t kNothing = -1;

// On `cell`, `writer` comes before `reader` with no foreign write between. No writer: nothing
// writes the cell before it. No reader: the end of the program.
struct Intent {
  int32_t cell = 0;
  int32_t writer = kNothing;
  int32_t reader = kNothing;
  LifetimeId lifetime;  // the reader's
};

// For the racy cells only: on the others every legal order is right.
std::vector<Intent> intents(const Program& program, const order::StepOrder& order,
                            const Footprints& uses);

// How many intents a schedule breaks. Intents of one cell come one after the other.
int64_t broken_intents(std::span<const int32_t> schedule, const Footprints& uses,
                       const std::vector<Intent>& intents);

// Whether `other` breaks an intent when it comes between: a write to the cell by a third step.
// Atomics of the reader's own lifetime belong there. Memory that nothing has written yet may hold
// anything, so only its own writers break a read of it.
bool is_foreign(const Use& other, const Intent& intent);

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// Watched bytes as canaries: which steps change them that are not expected to.
//
// The baseline is run once more and each step looked at, with what stands in the watched bytes and
// then with other contents, since a value that is written over an equal one does not show. The
// order does not matter for where a step writes, so one is enough, as far as that depends on no
// race.
#pragma once

#include "explore/footprints.h"
#include "explore/runner.h"
#include "model/exploration.h"

namespace bohr::explore {

// What came of each watch is in `result` also where this ends early. `fill` is as in
// Runner::fill_otherwise; afterwards runs start with no other contents.
Status watch_canaries(Runner* runner, const order::StepOrder& order, const Schedule& baseline,
                      std::span<const Watch> watches, uint8_t fill, std::vector<Watched>* result);

// Notes which of the watched bytes the replayer could not look at.
void note_unseen(std::span<const ByteRange> unseen, std::vector<Watched>* result);

}  // namespace bohr::explore

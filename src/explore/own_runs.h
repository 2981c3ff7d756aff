// SPDX-License-Identifier: Apache-2.0
// The program as it runs by itself: how often it goes wrong, and by how much time it mostly does
// not.
#pragma once

#include <vector>

#include "explore/suspects.h"
#include "explore/witnesses.h"

namespace bohr::explore {

// Runs the program `runs` times in no order of ours, under seeds from `seed` on; these are no
// replays and cost no budget. A run failed when it left other outputs than the baseline. Between
// the two steps of each suspect, whose trials stand at the same places, the median time is noted,
// and in how many runs there was none. Refused (`no-own-run`) where a program has no such runs.
Status run_by_itself(Runner* runner, const Baseline& baseline, const std::vector<Suspect>& suspects,
                     int32_t runs, uint64_t seed, Exploration* result);

// Whether it has such runs: nothing, or the refusal.
Status has_own_runs(Runner* runner, uint64_t seed);

}  // namespace bohr::explore

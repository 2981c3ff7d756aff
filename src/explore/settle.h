// SPDX-License-Identifier: Apache-2.0
// What replays say of accesses and pairs that a trace leaves open.
//
// Step mode shows which bytes a step changed. A candidate whose reversal leaves other bytes is a
// finding. One of whose two steps neither was seen to write the bytes they share, under two
// contents, is none. Everything else stays undecided, as `same-bytes`.
#pragma once

#include <vector>

#include "base/result.h"
#include "explore/suspects.h"
#include "model/exploration.h"
#include "model/verdict.h"

namespace bohr::explore {

// Fills `settled`, and turns `same_bytes` of candidates into `never_written`, from the trials,
// whose i-th is of the i-th suspect.
void settle(const Program& program, const order::StepOrder& order, const Footprints& uses,
            const std::vector<Suspect>& suspects, Exploration* exploration);

// What unordered steps may race for, as far as accesses are known.
Result<std::vector<ByteRange>> racy_ranges(const Program& program, bool strict_threads);

// The program with what was observed in place of accesses of unknown direction: bytes that an op or
// node changed, in whatever launch, are written. Of the rest those in `varied` may still be read:
// they were looked at with other contents, too. Elsewhere the same value may have been written
// again, and the direction stays unknown. Only of the steps that were watched is anything known.
Program with_observed(Program program, std::span<const Step> watched,
                      std::span<const ObservedWrite> observed, std::span<const ByteRange> varied);

// After another check of the program as observed: names causes, findings and candidates by the new
// verdict. Trials of pairs that it does not tell are dropped.
void rebind(const Program& program, const Verdict& before, const Verdict& after,
            Exploration* exploration);

}  // namespace bohr::explore

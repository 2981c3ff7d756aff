// SPDX-License-Identifier: Apache-2.0
// What replays say of accesses and pairs that a trace leaves open.
//
// Step mode shows which bytes a step changed. A candidate whose reversal leaves other bytes is a
// finding. One of whose two steps neither was seen to write the bytes they share, under two
// contents, is none. Everything else stays undecided, as `same-bytes`.
#pragma once

#include <vector>

#include "explore/suspects.h"
#include "model/exploration.h"
#include "model/verdict.h"

namespace bohr::explore {

// Fills `settled`, and turns `same_bytes` of candidates into `never_written`, from the trials,
// whose i-th is of the i-th suspect.
void settle(const Program& program, const order::StepOrder& order, const Footprints& uses,
            const std::vector<Suspect>& suspects, Exploration* exploration);

// The program with what was observed in place of accesses of unknown direction: bytes that an op or
// node changed, in whatever launch, are written; the rest of the access may still be read. Only of
// the steps that were watched is anything known.
Program with_observed(Program program, std::span<const Step> watched,
                      std::span<const ObservedWrite> observed);

// After another check of the program as observed: names causes, findings and candidates by the new
// verdict. Trials of pairs that it does not tell are dropped.
void rebind(const Program& program, const Verdict& before, const Verdict& after,
            Exploration* exploration);

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// What the explorer found, as text.
#pragma once

#include <span>

#include "report/entries.h"
#include "report/layout.h"

namespace bohr::report {

// How the search went: baseline, what was pinned, which orders. Nothing where none was asked for.
void add_search(Page* page, std::span<const Subject> subjects);
// The witness of an entry; without one, what reversing its pairs gave.
void add_proof(Page* page, std::span<const Subject> subjects, const Entry& entry);
// "consume(side)".
std::string step_text(const StepName& step);
// "14 of 200 runs left other outputs (7.0%)".
std::string own_runs_text(const OwnRuns& own);
// Witnesses of pairs that are no finding's.
void add_other_witnesses(Page* page, std::span<const Subject> subjects);
// "PROVED" where an entry has a witness, "not proved" where it was looked for; else empty.
std::string proof_word(std::span<const Subject> subjects, const Entry& entry);

}  // namespace bohr::report

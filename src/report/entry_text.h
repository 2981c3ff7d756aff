// SPDX-License-Identifier: Apache-2.0
// One entry of a report as text.
#pragma once

#include <span>
#include <string>

#include "report/entries.h"
#include "report/layout.h"

namespace bohr::report {

// `heading`: "RACE 1 of 2".
void add_entry(Page* page, std::span<const Subject> subjects, const Entry& entry,
               const std::string& heading);
// A line or two: number, the two sides, what they share, how often.
void add_candidate(Page* page, std::span<const Subject> subjects, const Entry& entry,
                   int64_t number);
// Every place of an entry and its stacks in full.
void add_places(Page* page, std::span<const Subject> subjects, const Entry& entry, bool candidates);

}  // namespace bohr::report

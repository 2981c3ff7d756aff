// SPDX-License-Identifier: Apache-2.0
// What became of watched bytes, as text: who was expected to write them, and who else did, by page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/entries.h"
#include "report/layout.h"

namespace bohr::report {

// The pages that steps wrote without being expected to; 0: none.
int64_t canary_pages(std::span<const Subject> subjects);
// A section for each watch. `most`: pages told of one step; below 0: all.
void add_watched(Page* page, std::span<const Subject> subjects, int64_t most);
// "overrun#0(stream 1) wrote y [0, 4), which it is not expected to", for each step and watch.
std::vector<std::string> canary_lines(const Exploration& exploration);

}  // namespace bohr::report

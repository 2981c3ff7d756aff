// SPDX-License-Identifier: Apache-2.0
// What a report says of races and repairs, as chapters of a page: the words of the text report, and
// beside them the pictures.
#pragma once

#include <span>

#include "report/entries.h"
#include "report/html/page.h"

namespace bohr::report::html {

// One cause: its entry, the slice of the graph, and the bytes over time.
Chapter race_chapter(std::span<const Subject> subjects, const Entry& entry);
// The proposals of all causes, and what each costs where that was measured.
Chapter repair_chapter(std::span<const Subject> subjects);

}  // namespace bohr::report::html

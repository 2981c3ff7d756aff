// SPDX-License-Identifier: Apache-2.0
// When recorded work ran, by the ops and nodes that it became.
#pragma once

#include <vector>

#include "model/program.h"
#include "trace/import_index.h"

namespace bohr::trace {

// By op, then node. What names no work of the program is left out, and so is what ended before it
// began; of two timings of one piece of work the first counts.
std::vector<bohr::Timing> timings_of(const LogIndex& index, const Program& program);

}  // namespace bohr::trace

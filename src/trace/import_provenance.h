// SPDX-License-Identifier: Apache-2.0
// How a recorded program was run, as names and values.
#pragma once

#include <vector>

#include "model/program.h"
#include "trace/import_index.h"

namespace bohr::trace {

// Each name once, in the order of docs/provenance.md. Of what was recorded twice the later value.
std::vector<bohr::Provenance> provenance_of(const Log& log, const LogIndex& index);

}  // namespace bohr::trace

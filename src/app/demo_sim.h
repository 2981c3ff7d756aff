// SPDX-License-Identifier: Apache-2.0
// A small decode step on the simulated GPU: it runs, leaves its event log, is checked, and is
// explored on its own tape.
#pragma once

#include "app/explore_file.h"
#include "base/result.h"

namespace bohr::app {

// In the racy one an indexer's input is dropped before its side stream is joined, and the allocator
// hands the same bytes out again. The repaired one drops it after the join. `own_runs`: how often
// it also runs by itself, in virtual time, each time under another seed.
Result<Explored> explore_demo_program(bool repaired, int32_t own_runs);

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// Which item of a tape each step of the imported program is, and what it may write.
#pragma once

#include <vector>

#include "base/range.h"
#include "base/result.h"
#include "gpu/sim/tape.h"
#include "model/program.h"
#include "model/step.h"

namespace bohr::replay {

// By step. Fails where the two are not of one run (code `program-tape`).
Result<std::vector<gpu::sim::Item>> items_of_steps(const Program& program,
                                                   const std::vector<Step>& steps,
                                                   const gpu::sim::Tape& tape);

// What the item may write: sorted, disjoint, joined where they touch. Atomic updates are among it
// where `atomics` says so.
std::vector<ByteRange> written_ranges(const gpu::sim::Tape& tape, const gpu::sim::Item& item,
                                      bool atomics);

}  // namespace bohr::replay

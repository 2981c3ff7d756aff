// SPDX-License-Identifier: Apache-2.0
// The tape of a program some of whose blocks lie elsewhere, as a repair has it.
#pragma once

#include "base/result.h"
#include "gpu/sim/arena.h"
#include "gpu/sim/tape.h"
#include "model/program.h"

namespace bohr::replay {

// `tape` ran as `recorded`; `moved` is the same program with other addresses for some lifetimes.
// Work that accesses such a lifetime gets these in its parameters and declarations. Refuses
// (`replay-moved`) a host function that does, whose addresses are out of reach, and a lifetime in
// several pieces.
Result<gpu::sim::Tape> moved_tape(gpu::sim::Tape tape, const Program& recorded,
                                  const Program& moved);

// Sizes with room behind the recorded memory for blocks of the program that lie there.
gpu::sim::ArenaSizes sizes_for(const Program& program, gpu::sim::ArenaSizes sizes);

}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
// A Replayer over the tape of a program on the simulated GPU: its kernels and host functions run
// again, on a memory of their own, in the order of a schedule.
//
// The program is what was imported from the log of the same run. Its steps and the tape's items are
// the same pieces of work, matched by the sequence numbers of the calls that issued them. A run
// that nobody forces is the tape in virtual time, under a seed.
//
// What a step may write is what its work declared, whether or not the log says so: the arena holds
// it to that.
#pragma once

#include <memory>

#include "gpu/sim/arena.h"
#include "gpu/sim/tape.h"
#include "gpu/sim/timing.h"
#include "replay/replayer.h"

namespace bohr::replay {

// Refuses a program that is not of this tape (code `program-tape`).
Result<std::unique_ptr<Replayer>> sim_replayer(Program program, gpu::sim::Tape tape,
                                               const gpu::sim::Timing& timing,
                                               const gpu::sim::ArenaSizes& sizes);

// The same run with other addresses for some blocks and with more order: a repaired program, made
// from the recorded one (`program-tape`, `replay-moved`).
Result<std::unique_ptr<Replayer>> repaired_sim_replayer(const Program& recorded, Program repaired,
                                                        gpu::sim::Tape tape,
                                                        const gpu::sim::Timing& timing,
                                                        const gpu::sim::ArenaSizes& sizes);

}  // namespace bohr::replay

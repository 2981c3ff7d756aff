// SPDX-License-Identifier: Apache-2.0
// A program as it would be with repairs in place: another program, which is checked and explored
// like any.
#pragma once

#include <span>

#include "base/result.h"
#include "model/program.h"
#include "model/repair.h"

namespace bohr::fix {

// Edges of graphs are added to them; edges between ops become an event's record and wait, a
// synchronisation of a thread, or a signal, whichever the two sides can do. A block that is held is
// given back later, and blocks that were handed out over it meanwhile get memory that nothing
// else uses; so does a block with memory of its own. Refuses (`fix-no-edge`) an edge against the
// issue order of ops, which no record and wait can make.
// `places`, where given, tells where each op then stands, and the end.
Result<Program> with_repairs(Program program, std::span<const RepairPart> parts,
                             std::vector<int32_t>* places = nullptr);

// Which blocks would get other memory if `part` held its block: those handed out over it before it
// is given back.
std::vector<LifetimeId> moved_by(const Program& program, const RepairPart& part);

}  // namespace bohr::fix

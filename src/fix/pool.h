// SPDX-License-Identifier: Apache-2.0
// How much memory a program has out of its allocators at once.
#pragma once

#include <cstdint>
#include <span>

#include "model/program.h"
#include "model/repair.h"

namespace bohr::fix {

// The most bytes that were handed out at once, in issue order; captures stand where they began.
// Buffers, which nothing hands out, and segments, whose blocks are counted, are left out. Blocks
// with memory of their own among `parts` (separate) count throughout. `program` has the repairs.
uint64_t pool_bytes(const Program& program, std::span<const RepairPart> parts);

}  // namespace bohr::fix

// SPDX-License-Identifier: Apache-2.0
// Which bytes count at the end of a program.
#pragma once

#include <vector>

#include "base/range.h"
#include "model/program.h"

namespace bohr {

// Buffers that are not scratch, allocations that are never freed, and what is declared live.
bool is_output(const Program& program, const Lifetime& lifetime);

// The pieces of all outputs, by lifetime; not merged, so that a difference names its block.
// Segments that an allocator cuts into blocks are left out: their blocks speak for themselves.
struct OutputPiece {
  LifetimeId lifetime;
  ByteRange range;
};
std::vector<OutputPiece> outputs_of(const Program& program);

}  // namespace bohr

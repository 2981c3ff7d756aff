// SPDX-License-Identifier: Apache-2.0
// Runs a whole tape in a given order of its items, one after the other, from the initial memory.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "gpu/sim/arena.h"
#include "gpu/sim/tape.h"

namespace bohr::gpu::sim {

// `order` names every item of the tape once (code `sim-order`). `salt` tells runs apart where a
// kernel reads the clock. The arena holds the result.
Status run_serial(const Tape& tape, std::span<const Item> order, uint64_t salt, Arena* arena);

}  // namespace bohr::gpu::sim

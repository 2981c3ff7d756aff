// SPDX-License-Identifier: Apache-2.0
// Synthetic programs for measuring: race-free in the main, as real ones are, so that what is
// measured is the search and not the telling.
#pragma once

#include <cstdint>

#include "model/program.h"

namespace bohr::bench {

// One captured graph: `chains` streams that fork and join every `period` nodes, each node with
// `accesses` of them, on blocks of its own stream or on what was handed over at the last join.
Program graph_program(int32_t nodes, int32_t chains, int32_t accesses, int32_t period,
                      int32_t launches);

// Kernels, records and waits on `streams` streams. Blocks come from a caching allocator keyed by
// stream: each kernel reads two live blocks of its stream and writes a new one, which takes the
// bytes of an older one. Every `period` rounds each stream records an event and waits for its
// neighbour.
Program eager_program(int32_t ops, int32_t streams, int32_t period);

// The worst case for telling: `streams` streams that never wait, all on the same `blocks` blocks.
Program racy_program(int32_t ops, int32_t streams, int32_t blocks);

}  // namespace bohr::bench

// SPDX-License-Identifier: Apache-2.0
// What orders two ops that are ordered, in words that name it.
#pragma once

#include <vector>

#include "check/arena.h"
#include "check/pairs.h"
#include "model/absence.h"

namespace bohr::check {

// Two nodes of one graph: the edge by which the first one's stream is left. `unknown` where they
// are not ordered.
Absence order_in_graph(const Program& program, const Arenas& arenas, const Place& first,
                       const Place& second);

// Two ops outside graphs, `on_stream` their lists: the wait of the second one's stream, or the
// synchronisation of a host thread between the two.
Absence order_outside(const Program& program, const Arenas& arenas,
                      const std::vector<std::vector<int32_t>>& on_stream, int32_t first,
                      int32_t second);

}  // namespace bohr::check

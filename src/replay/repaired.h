// SPDX-License-Identifier: Apache-2.0
// A repaired program on a replayer of the program as it is: for a process that goes on, whose work
// cannot be made anew for every repair that is tried. Order that was added is a matter of which
// orders are run, and of what a run by itself is given; blocks that lie elsewhere are moved in each
// run.
#pragma once

#include <memory>
#include <vector>

#include "replay/replayer.h"

namespace bohr::replay {

// Learns once and forwards everything; release() does no more than restore().
std::unique_ptr<Replayer> learned_once(Replayer& inner);

// `inner` has learned (learned_once()). Its program is `recorded`, and `repaired` has the same
// steps. `variant`: what the repaired program has more; its moves are moves_between() the two.
// learn() holds the moved steps to it, in the order `right`: none of them may change a byte where
// its block was, and what any step leaves must be what it leaves as it is (`replay-moved`).
std::unique_ptr<Replayer> repaired_in_place(Replayer& inner, Program repaired, Variant variant,
                                            std::vector<int32_t> right);

}  // namespace bohr::replay

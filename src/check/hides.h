// SPDX-License-Identifier: Apache-2.0
// Why a mistake seldom shows: how far its two sides lay apart where they were timed, and in which
// graphs of the program it is not, though the same work runs there.
#pragma once

#include "check/arena.h"
#include "model/verdict.h"

namespace bohr::check {

// Fills in `slack` and `not_in` of the causes of findings. The verdict is otherwise complete.
void explain_hiding(const Program& program, const Arenas& arenas, Verdict* verdict);

}  // namespace bohr::check

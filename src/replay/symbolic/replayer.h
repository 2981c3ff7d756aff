// SPDX-License-Identifier: Apache-2.0
// A Replayer over symbolic memory: needs no GPU and no kernels, only what each step reads and
// writes. Its contents are one 64-bit value a cell (see memory.h), so two contents are equal when
// they were computed from the same things.
//
// It refuses a program with accesses of unknown direction or extent (`params-only`): an order of
// such a program would prove nothing. And one with bodies of conditional nodes
// (`conditional-node`).
#pragma once

#include <memory>

#include "replay/replayer.h"

namespace bohr::replay {

Result<std::unique_ptr<Replayer>> symbolic_replayer(Program program);

}  // namespace bohr::replay

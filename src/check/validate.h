// SPDX-License-Identifier: Apache-2.0
// Refuses a program whose references do not hold, so that the stages need not look again.
#pragma once

#include "base/result.h"
#include "model/program.h"

namespace bohr::check {

// Codes: `program-reference` (an id without its object), `program-range` (an access outside its
// lifetime).
Status validate(const Program& program);

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// judge: holds a case's `expect witness` and `expect no-witness` lines against an exploration.
#pragma once

#include <vector>

#include "model/exploration.h"
#include "model/judgement.h"
#include "model/program.h"

namespace bohr::explore {

// By line. A witness is an order that changes an output. That there is none is judged only when
// every legal order was tried, else left open.
std::vector<Judgement> judge(const Program& program, const Exploration& exploration);

}  // namespace bohr::explore

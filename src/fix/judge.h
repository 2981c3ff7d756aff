// SPDX-License-Identifier: Apache-2.0
// judge: holds a case's `expect fix` lines against the proposals.
#pragma once

#include <vector>

#include "model/judgement.h"
#include "model/program.h"
#include "model/repair.h"

namespace bohr::fix {

// By line. Met where a verified proposal has that part.
std::vector<Judgement> judge(const Program& program, const Repairs& repairs);

}  // namespace bohr::fix

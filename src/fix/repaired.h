// SPDX-License-Identifier: Apache-2.0
// A program with repairs in place, and what a check of it has to know.
#pragma once

#include <span>

#include "base/result.h"
#include "check/check.h"
#include "fix/setting.h"
#include "model/repair.h"

namespace bohr::fix {

struct Repaired {
  Program program;
  check::Options check;  // pairs that replays settled are where their ops now are
};

// Refuses what with_repairs() refuses.
Result<Repaired> repaired(const Setting& setting, std::span<const RepairPart> parts);

}  // namespace bohr::fix

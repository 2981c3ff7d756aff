// SPDX-License-Identifier: Apache-2.0
// A repair by edges alone, inside graphs: the form in which it can be put into a program's graphs
// without changing the program. Other repairs are better where the program can be changed.
//
// The edges of all causes are taken together, and must leave no finding but those of causes that
// have no such edges. An edge that is not needed for that is dropped.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/check.h"
#include "fix/setting.h"
#include "model/repair.h"
#include "model/verdict.h"

namespace bohr::fix {

struct EdgeForm {
  std::vector<RepairPart> parts;     // each an edge of a graph
  std::vector<std::string> without;  // sites of the causes that no edges inside a graph mend
};

// Edges of a cause that did not hold when they were tried.
using Refuted = std::function<bool(const Cause& cause, const Repair& edges)>;

// Errors are those of ordering and checking the program.
Result<EdgeForm> edge_form(const Program& program, const Verdict& verdict,
                           const check::Options& check, ShownOrders shown, const Refuted& refuted);

}  // namespace bohr::fix

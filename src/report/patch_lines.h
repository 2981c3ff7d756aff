// SPDX-License-Identifier: Apache-2.0
// What to change in the source for one part of a repair: where, and in the program's own terms, as
// far as its stacks tell them.
#pragma once

#include <string>
#include <vector>

#include "model/repair.h"
#include "model/verdict.h"

namespace bohr::report {

struct PatchLine {
  char sign = '+';    // '-': what stands there is wrong; '+': this is missing there
  std::string where;  // "indexer.py:412", or empty where no stack is known
  std::string what;
  StackId stack = {};  // whose useful frame `where` is
  bool operator==(const PatchLine& other) const {
    return sign == other.sign && where == other.where && what == other.what;
  }
};

// `cause`: whose repair the part belongs to.
std::vector<PatchLine> patch_lines(const Program& program, const Verdict& verdict,
                                   const Cause& cause, const RepairPart& part);

// Of all parts, each line once.
std::vector<PatchLine> patch_lines(const Program& program, const Verdict& verdict,
                                   const Repair& repair);

}  // namespace bohr::report

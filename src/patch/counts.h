// SPDX-License-Identifier: Apache-2.0
// What became of a fix file in the graphs of one process, which its agent leaves as <pid>.apply for
// `bohr run`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace bohr::patch {

struct Counts {
  int64_t applied = 0;     // graphs
  int64_t not_needed = 0;  // graphs of the fix that need nothing, and all without its mistake
  int64_t unresolved = 0;
  int64_t of_fix = 0;             // of all these, those that the fix file knows
  std::vector<std::string> whys;  // of the unresolved ones
  std::string refused;            // why the agent ended the process; empty: it did not
};

std::string to_text(const Counts& counts);
// Refuses what no agent wrote (`fix-file`).
Result<Counts> parse_counts(std::string_view text, const std::string& source);

}  // namespace bohr::patch

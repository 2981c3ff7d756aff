// SPDX-License-Identifier: Apache-2.0
// The report for programs: one document of schema bohr.findings/1 for all subjects together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/entries.h"

namespace bohr::report {

// How the program under test ended: by `code`, or by `signal` when that is not 0.
struct ProgramExit {
  int code = 0;
  int signal = 0;
};

// What became of a fix file in the graphs of one process.
struct AppliedFix {
  std::string process;
  int64_t applied = 0;
  int64_t not_needed = 0;
  int64_t unresolved = 0;
  std::vector<std::string> whys;  // of the unresolved ones
};

struct JsonOptions {
  std::optional<ProgramExit> program_exit;
  std::vector<AppliedFix> applied;
};

// Equal arguments give equal bytes. Ends with a line feed.
std::string render_json(std::span<const Subject> subjects, const JsonOptions& options);

}  // namespace bohr::report

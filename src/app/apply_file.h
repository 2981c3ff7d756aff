// SPDX-License-Identifier: Apache-2.0
// From repairs of recorded programs to the fix file that puts them into the programs' graphs, and
// back from what agents counted when they did so.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/fix_file.h"
#include "base/result.h"
#include "patch/counts.h"
#include "patch/fix_file.h"
#include "trace/log_reader.h"

namespace bohr::app {

// The edge form of the repairs of all programs. `logs`: what they were read from. Errors are those
// of checking a program.
Result<patch::FixFile> fix_file_of(std::span<const Fixed> fixed, std::span<const trace::Log> logs,
                                   const CheckOptions& check);
// The same, for what stands in `path`, written to `to`. Refuses a case (`fix-no-log`), which has no
// graphs that a driver knows, and repairs without an edge form.
Status save_fix_file(std::span<const Fixed> fixed, const std::string& path, const std::string& to,
                     const CheckOptions& check);

// A fix file that can be applied.
Result<patch::FixFile> read_fix_file(const std::string& path);

// What became of the graphs of one process.
struct AppliedCounts : patch::Counts {
  std::string stem;  // of the process's files
};
std::vector<AppliedCounts> applied_in(const std::string& dir);

}  // namespace bohr::app

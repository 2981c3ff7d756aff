// SPDX-License-Identifier: Apache-2.0
// The report as SARIF 2.1.0, for code scanning: one result for each cause.
#pragma once

#include <span>
#include <string>

#include "report/entries.h"

namespace bohr::report {

struct SarifOptions {
  std::string version;      // of the tool
  std::string root;         // paths below this folder are written relative to it; absolute
  bool candidates = false;  // undecided pairs as well, as notes
};

// Equal arguments give equal bytes. Ends with a line feed.
std::string render_sarif(std::span<const Subject> subjects, const SarifOptions& options);

}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// From the verdicts of several arms to a comparison.
#pragma once

#include <string>
#include <vector>

#include "app/check_file.h"
#include "report/compare.h"

namespace bohr::app {

struct CheckedArm {
  std::string path;
  std::vector<Checked> processes;
};

// Names for arms: what tells their paths apart.
std::vector<std::string> arm_names(const std::vector<std::string>& paths);

Result<report::Comparison> compare(const std::vector<CheckedArm>& arms, bool strict_threads);

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// `bohr demo`: what the tool does, told on two small programs and, where they are shipped, on
// traces that were recorded on a GPU.
#pragma once

#include <string>

#include "base/result.h"
#include "report/layout.h"

namespace bohr::app {

struct Demo {
  std::string text;
  bool as_expected = true;  // every verdict was the expected one
};

// `traces`: the folder of recorded traces; empty: there is none. `own_runs`: how often the program
// on the simulated GPU runs by itself.
Result<Demo> demo(const std::string& traces, int32_t own_runs, const report::Style& style);

}  // namespace bohr::app

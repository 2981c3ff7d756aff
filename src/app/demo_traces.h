// SPDX-License-Identifier: Apache-2.0
// Programs that were recorded on a GPU, each with its mistake and without it, checked for the demo.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace bohr::app::demo {

struct TracePair {
  std::string mistake;               // for people
  std::vector<std::string> with_it;  // what was found: "reuse-7c1e: store (kv), then gemm (main)…"
  std::vector<std::string> without_it;
  bool as_expected() const { return !with_it.empty() && without_it.empty(); }
};

// Those of the known ones that lie in the folder.
Result<std::vector<TracePair>> check_traces(const std::string& folder);

}  // namespace bohr::app::demo

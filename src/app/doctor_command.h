// SPDX-License-Identifier: Apache-2.0
// What a command line starts in the end, and whether the environment that arms the recorder
// reaches it. Nothing is started: files are looked at, as the kernel would.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/environment.h"
#include "base/result.h"

namespace bohr::app {

enum class Works : uint8_t { yes, partly, no };

// One thing in the way, or worth saying.
struct Remark {
  Works works = Works::yes;
  std::string found;    // "sudo clears the environment"
  std::string follows;  // what it means, and what to do
};

struct Started {
  Via via = Via::preload;  // how it is to be recorded
  std::string program;     // path of what runs in the end: behind scripts, `env`, `timeout`, …
  std::vector<Remark> remarks;
  // Where that is Python: the interpreter and those of its options that stand before the script.
  std::vector<std::string> python;
};

// Error `guest-start` where there is no such program.
Result<Started> what_starts(const std::vector<std::string>& command, Via via);

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// `bohr attach`: looks at what the agents in running processes have recorded so far, and explores
// and repairs the launches of their graphs while they serve. The processes run on afterwards.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/run.h"

namespace bohr::app {

struct AttachOptions {
  std::vector<pid_t> pids;
  std::string dir;  // for reports and witnesses; empty: the first free attach-<n> in the run's own
  CheckOptions check;
  std::optional<HoldOptions> explore;  // none: only what was recorded is checked
  bool fix = false;
  std::chrono::seconds patience{60};  // without a launch of a graph that is to be explored
};

// `stop`: asked often; the processes are let go once it says so. Errors: those of find_targets(),
// Attachment::open() and make_run_dir().
Result<RunOutcome> attach(const AttachOptions& options, const std::function<bool()>& stop,
                          const Say& say);

}  // namespace bohr::app

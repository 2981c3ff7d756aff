// SPDX-License-Identifier: Apache-2.0
// `bohr run`: starts a program under the agent, checks its logs while it runs and when it has
// ended, and keeps what was found in the folder of the run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/fix_file.h"
#include "app/guest.h"
#include "app/held_launches.h"
#include "base/result.h"

namespace bohr::app {

struct RunOptions {
  std::vector<std::string> command;
  std::string dir;       // empty: the first free bohr-<n>
  uint64_t max_log = 0;  // bytes a process; 0: the agent's own limit
  std::string stacks;    // "python", "all", "none"; empty: the agent's own choice
  std::string lib;       // where the agent lies; empty: beside this program
  CheckOptions check;
  std::optional<HoldOptions> explore;
  bool fix = false;  // look for repairs of what was found
};

struct RunOutcome {
  std::string dir;
  std::vector<Fixed> processes;
  std::vector<std::string> witnesses;  // paths
  GuestEnd end;
};

// Gets lines for people while the run goes on.
using Say = std::function<void(const std::string& line)>;

// Fails when the program cannot be started; then no folder is left.
Result<RunOutcome> run(const RunOptions& options, const Say& say);

// The exit status of a run by the precedence of exit_status.h.
ExitStatus status_of(const RunOutcome& outcome, const std::vector<HazardClass>& require);

// Writes trace.db, report.txt and findings.json into the folder of the run.
Status keep_results(const RunOutcome& outcome, const CheckOptions& options);

}  // namespace bohr::app

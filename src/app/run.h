// SPDX-License-Identifier: Apache-2.0
// `bohr run`: starts a program under the agent, checks its logs while it runs and when it has
// ended, and keeps what was found in the folder of the run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/apply_file.h"
#include "app/environment.h"
#include "app/fix_file.h"
#include "app/guest.h"
#include "app/held_launches.h"
#include "base/result.h"
#include "report/json.h"
#include "trace/log_reader.h"

namespace bohr::app {

struct RunOptions {
  std::vector<std::string> command;
  Recording recording;  // its folder empty: the first free bohr-<n>
  std::string lib;      // where the agent lies; empty: beside this program
  CheckOptions check;
  std::optional<HoldOptions> explore;
  bool fix = false;               // look for repairs of what was found
  std::string apply;              // a fix file to put into the program's graphs; empty: none
  bool refuse_unresolved = true;  // else a graph that cannot be repaired is told and left
};

struct RunOutcome {
  std::string dir;
  std::vector<Fixed> processes;
  std::vector<std::string> witnesses;  // paths
  std::vector<AppliedCounts> applied;  // of each process, where there was something to apply
  std::string preload_library;         // path of what is preloaded to repair and record nothing
  std::string fix_file;                // that `fix` wrote; empty: there is nothing to apply
  std::optional<GuestEnd> end;         // none: it was attached to, and runs on
};

// Gets lines for people while the run goes on.
using Say = std::function<void(const std::string& line)>;

// Fails when the program cannot be started; then no folder is left.
Result<RunOutcome> run(const RunOptions& options, const Say& say);

// The exit status of a run by the precedence of exit_status.h.
ExitStatus status_of(const RunOutcome& outcome, const std::vector<HazardClass>& require);

// How it ended and what was applied, for its JSON.
report::JsonOptions json_options(const RunOutcome& outcome);

// Repairs of what was found, where they are wanted, and their fix file in the outcome's folder.
// `logs`: of the same processes.
Status conclude(std::vector<Explored> explored, bool fix, const std::vector<trace::Log>& logs,
                const CheckOptions& check, RunOutcome* outcome);

// Writes report.txt and findings.json into the folder of the outcome.
Status keep_reports(const RunOutcome& outcome, const CheckOptions& options);
// And trace.db, of a run.
Status keep_results(const RunOutcome& outcome, const CheckOptions& options);

}  // namespace bohr::app

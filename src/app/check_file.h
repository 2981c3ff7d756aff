// SPDX-License-Identifier: Apache-2.0
// From a file, or the folder of a run, to verdicts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/exit_status.h"
#include "base/result.h"
#include "model/program.h"
#include "model/verdict.h"
#include "report/entries.h"

namespace bohr::app {

struct CheckOptions {
  std::vector<HazardClass> require;  // empty: all
  std::vector<Suppression> suppressions;
  bool strict_threads = false;
  std::vector<SettledPair> settled;  // by replays
};

struct Checked {
  std::string name;  // for people
  Program program;
  Verdict verdict;
  std::string stem = {};  // of its log in the folder of a run
};

// A program that was read and not checked.
struct Loaded {
  std::string name;
  Program program;
};

// What `path` holds: one program, or the processes of a run where it is a SQLite trace or a folder.
Result<std::vector<Loaded>> load_path(const std::string& path);

Result<Checked> check_program(Program program, const std::string& name,
                              const CheckOptions& options);
// All that load_path() gives, checked; of a folder also what could not be read, as not checked.
Result<std::vector<Checked>> check_path(const std::string& path, const CheckOptions& options);

// What stands for a process of which nothing can be said: no class was checked, for `reason`.
Checked not_checked(const std::string& name, const std::string& reason, const std::string& text);

// The classes of "reuse,pool".
Result<std::vector<HazardClass>> parse_classes(std::string_view list);
Result<std::vector<Suppression>> read_suppressions(const std::string& path);

std::vector<report::Subject> subjects_of(std::span<const Checked> checked);
ExitStatus status_of(std::span<const Checked> checked, const std::vector<HazardClass>& require);

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// The folder of a run: made for it, private, and full of what its processes left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/check_file.h"
#include "base/result.h"
#include "trace/log_reader.h"

namespace bohr::app {

// A folder for a new run: `wanted`, which must be empty or not exist, or else the first free
// bohr-<n>. `made`: it did not exist before.
struct RunDir {
  std::string path;
  bool made = false;
};
Result<RunDir> make_run_dir(const std::string& wanted);
// The folder of a program that is started and ended by others, again and again: it may hold logs.
Result<std::string> make_service_dir(const std::string& wanted);
// The first free PREFIX<n>.
Result<RunDir> make_numbered_dir(const std::string& prefix);
// Two runs may find the same folder empty: the second to claim it is refused.
Status claim_run_dir(const RunDir& dir);
// Removes a folder that was made and holds nothing but a claim.
void drop_run_dir(const RunDir& dir);

// One process that left something behind.
struct ProcessFiles {
  std::string stem;   // "4121", or "4121-2" when a pid came back
  std::string log;    // path, or empty
  std::string error;  // what <pid>.error says, or empty
};
// Sorted by pid.
std::vector<ProcessFiles> processes_in(const std::string& dir);

// "pid 4121 python serve.py", as far as the log tells; `otherwise` when it does not.
std::string process_name(const trace::Log& log, const std::string& otherwise);

// Nothing was recorded, and nothing was lost.
bool gave_no_work(const Program& program);

// The process behind one log, which may still be written to.
Result<Checked> check_log(const std::string& path, const CheckOptions& options);

// The processes that used CUDA, checked. Those that did not, and those that could not be recorded
// or read, are named in `notes`; of the latter nothing can be said, so each stands as not checked.
// `checked` is never empty.
struct RunContents {
  std::vector<Checked> checked;
  std::vector<std::string> notes;
};
// Fails where `dir` is no folder of a run.
Result<RunContents> check_run(const std::string& dir, const CheckOptions& options);
// The same for a run that has just ended, which may have left nothing.
RunContents check_ended_run(const std::string& dir, const CheckOptions& options);

Result<trace::Log> read_log(const std::string& path);
// All logs of a run that can be read.
std::vector<trace::Log> read_logs(const std::string& dir);

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// `bohr doctor`: what recording needs, one topic after the other: what there is on this machine,
// whether it does, and what follows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/doctor_command.h"
#include "app/environment.h"
#include "base/result.h"
#include "report/layout.h"

namespace bohr::app {

struct Topic {
  std::string name;  // "driver"
  Works works = Works::yes;
  std::string found;
  std::string follows;                       // empty: nothing to do, nothing lost
  std::map<std::string, std::string> facts;  // for scripts
};

struct DoctorOptions {
  std::vector<std::string> command;  // empty: the machine alone
  std::string dir;                   // where a run would be kept; empty: the working folder
  std::string lib;                   // as RunOptions::lib
  uint64_t max_log = 0;              // as RunOptions::max_log
  Via via = Via::preload;
};

// Error `guest-start` where the command names no program.
Result<std::vector<Topic>> examine(const DoctorOptions& options);

// Whether `bohr run` would record.
bool would_record(const std::vector<Topic>& topics);

std::string doctor_text(const std::vector<Topic>& topics, const report::Style& style);
std::string doctor_json(const std::vector<Topic>& topics);

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// The variables by which a program that we do not start ourselves is recorded: `bohr env`.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/install.h"
#include "base/result.h"

namespace bohr::app {

// How the program's calls reach the recorder: by CUPTI, which the driver lets one tool use, or by a
// preloaded library between the program and the driver.
enum class Via { cupti, preload };

// What decides them; `bohr run` takes the same.
struct Recording {
  std::string dir;       // absolute
  uint64_t max_log = 0;  // bytes a process; 0: the agent's own limit
  bool keep_code = false;
  std::string stacks;   // "python", "all", "none"; empty: the agent's own choice
  bool all = false;     // work outside graphs, too, instead of the newest of it
  uint64_t recent = 0;  // bytes of the newest; 0: the agent's own choice
  std::string ranks;    // "0,2-3"; empty: all
  Via via = Via::preload;
};

// What the program's environment holds already; ours comes in front of it.
struct Inherited {
  std::string python_path;
  std::string preload;
};
// Of our own process.
Inherited inherited();

std::map<std::string, std::string> variables_of(const Recording& recording, const AgentFiles& files,
                                                const Inherited& inherited);

enum class Lines { unit, shell, container };

// One line each, for people to paste. A container needs the folders of the library and the run,
// too.
std::string environment_lines(const std::map<std::string, std::string>& variables,
                              const AgentFiles& files, Lines lines);

}  // namespace bohr::app

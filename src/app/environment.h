// SPDX-License-Identifier: Apache-2.0
// The variables by which a program that we do not start ourselves is recorded: `bohr env`.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/install.h"
#include "base/result.h"

namespace bohr::app {

// What decides them; `bohr run` takes the same.
struct Recording {
  std::string dir;       // absolute
  uint64_t max_log = 0;  // bytes a process; 0: the agent's own limit
  std::string stacks;    // "python", "all", "none"; empty: the agent's own choice
};

// `python_path`: what PYTHONPATH holds already; the shim comes in front of it.
std::map<std::string, std::string> variables_of(const Recording& recording, const AgentFiles& files,
                                                const std::string& python_path);

enum class Lines { unit, shell, container };

// One line each, for people to paste. A container needs the folders of the library and the run,
// too.
std::string environment_lines(const std::map<std::string, std::string>& variables,
                              const AgentFiles& files, Lines lines);

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
#include "app/environment.h"

#include <fmt/format.h>

#include <filesystem>

#include "agent/environment.h"
#include "app/files.h"

namespace bohr::app {

std::map<std::string, std::string> variables_of(const Recording& recording, const AgentFiles& files,
                                                const std::string& python_path) {
  std::map<std::string, std::string> set = {{agent::kInjectionVariable, files.agent},
                                            {agent::kAgentVariable, files.agent},
                                            {agent::kDirVariable, recording.dir}};
  if (recording.max_log > 0) set[agent::kMaxLogVariable] = std::to_string(recording.max_log);
  if (!recording.stacks.empty())
    set[agent::kStacksVariable] = recording.stacks == "none" ? "0" : recording.stacks;
  if (!files.shim.empty())
    set[agent::kPythonPathVariable] =
        python_path.empty() ? files.shim : files.shim + ":" + python_path;
  return set;
}

std::string environment_lines(const std::map<std::string, std::string>& variables,
                              const AgentFiles& files, Lines lines) {
  std::string text;
  if (lines == Lines::container) {
    const std::string folder = std::filesystem::path(files.agent).parent_path();
    const std::string& dir = variables.at(agent::kDirVariable);
    text += fmt::format("-v {0}:{0}:ro\n-v {1}:{1}\n", shell_word(folder), shell_word(dir));
  }
  for (const auto& [name, value] : variables) {
    if (lines == Lines::unit) text += fmt::format("Environment=\"{}={}\"\n", name, value);
    if (lines == Lines::shell) text += fmt::format("export {}={}\n", name, shell_word(value));
    if (lines == Lines::container) text += fmt::format("-e {}={}\n", name, shell_word(value));
  }
  return text;
}

}  // namespace bohr::app

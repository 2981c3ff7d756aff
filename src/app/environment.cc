// SPDX-License-Identifier: Apache-2.0
#include "app/environment.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "agent/environment.h"
#include "app/files.h"

namespace bohr::app {

namespace {

std::string in_front_of(const std::string& others, const std::string& path) {
  return others.empty() ? path : path + ":" + others;
}

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

Inherited inherited() {
  return {value_of(agent::kPythonPathVariable), value_of(agent::kPreloadVariable)};
}

std::map<std::string, std::string> variables_of(const Recording& recording, const AgentFiles& files,
                                                const Inherited& inherited) {
  const bool preload = recording.via == Via::preload;
  const std::string& library = preload ? files.preload : files.agent;
  std::map<std::string, std::string> set = {{agent::kAgentVariable, library},
                                            {agent::kDirVariable, recording.dir}};
  set[preload ? agent::kPreloadVariable : agent::kInjectionVariable] =
      preload ? in_front_of(inherited.preload, library) : library;
  if (recording.max_log > 0) set[agent::kMaxLogVariable] = std::to_string(recording.max_log);
  if (recording.all) set[agent::kRecordVariable] = "all";
  if (recording.recent > 0) set[agent::kRecentVariable] = std::to_string(recording.recent);
  if (!recording.ranks.empty()) set[agent::kRanksVariable] = recording.ranks;
  if (recording.keep_code) set[agent::kKeepCodeVariable] = "1";
  if (!recording.stacks.empty())
    set[agent::kStacksVariable] = recording.stacks == "none" ? "0" : recording.stacks;
  if (!files.shim.empty())
    set[agent::kPythonPathVariable] = in_front_of(inherited.python_path, files.shim);
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

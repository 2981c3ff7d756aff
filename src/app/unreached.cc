// SPDX-License-Identifier: Apache-2.0
// Only a process that has the driver mapped, and no variable by which the driver or the loader
// would load a library of ours, is told: one that has the variable may not have called cuInit yet,
// and is recorded once it does. Programs that end within a second may be missed.
#include "app/unreached.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "agent/environment.h"
#include "app/process_tree.h"

namespace bohr::app {

namespace {

bool maps_driver(pid_t pid) {
  const std::vector<std::string> files = mapped_files(pid);
  return std::any_of(files.begin(), files.end(), [](const std::string& file) {
    return file.find("/libcuda.so") != std::string::npos;
  });
}

std::string value_in(const std::vector<std::string>& environment, const char* variable) {
  const std::string prefix = std::string(variable) + "=";
  for (const std::string& one : environment)
    if (one.starts_with(prefix)) return one.substr(prefix.size());
  return {};
}

// Empty: it is reached, or cannot be looked at.
std::string why_not(pid_t pid) {
  const std::vector<std::string> environment = environment_of(pid);
  const std::string injected = value_in(environment, agent::kInjectionVariable);
  if (injected.ends_with("libbohr_agent.so")) return {};
  const bool preloaded =
      value_in(environment, agent::kPreloadVariable).find("libbohr_preload.so") !=
      std::string::npos;
  if (preloaded && !value_in(environment, agent::kDirVariable).empty()) return {};
  if (!maps_driver(pid)) return {};
  if (!injected.empty()) return "the driver was told to load " + injected + " into it instead";
  return fmt::format("it was started with {} environment, without {} or {} of ours",
                     environment.empty() ? "an empty" : "another", agent::kInjectionVariable,
                     agent::kPreloadVariable);
}

}  // namespace

std::vector<UnreachedProcess> Unreached::look(pid_t root) {
  std::vector<UnreachedProcess> found;
  for (const pid_t pid : tree_of(root)) {
    if (told_.contains(pid)) continue;
    std::string why = why_not(pid);
    if (why.empty()) continue;
    told_.insert(pid);
    const std::string command = command_of(pid);
    const std::string name = command.substr(0, command.find(' '));
    found.push_back({pid, fmt::format("pid {} {}", pid, name), std::move(why)});
  }
  all_.insert(all_.end(), found.begin(), found.end());
  return found;
}

}  // namespace bohr::app

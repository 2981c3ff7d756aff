// SPDX-License-Identifier: Apache-2.0
// Only a process that has the driver mapped, and no variable by which the driver would load the
// agent, is told: one that has the variable may not have called cuInit yet, and is recorded once it
// does. Programs that end within a second may be missed.
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

// What the driver is told to load; empty: nothing.
std::string injected_into(const std::vector<std::string>& environment) {
  const std::string prefix = std::string(agent::kInjectionVariable) + "=";
  for (const std::string& one : environment)
    if (one.starts_with(prefix)) return one.substr(prefix.size());
  return {};
}

// Empty: it is reached, or cannot be looked at.
std::string why_not(pid_t pid) {
  const std::vector<std::string> environment = environment_of(pid);
  const std::string library = injected_into(environment);
  if (library.ends_with("libbohr_agent.so")) return {};
  if (!maps_driver(pid)) return {};
  if (!library.empty()) return "the driver was told to load " + library + " into it instead";
  return fmt::format("it was started with {} environment, without {}",
                     environment.empty() ? "an empty" : "another", agent::kInjectionVariable);
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

// SPDX-License-Identifier: Apache-2.0
#include "app/process_tree.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "app/files.h"

namespace bohr::app {

namespace fs = std::filesystem;

namespace {

fs::path proc(pid_t pid) { return fs::path("/proc") / std::to_string(pid); }

// "PID (any name, even with a bracket) S PARENT ...", from the S on; empty: there is no such
// process.
std::string stat_of(pid_t pid) {
  const auto text = read_text(proc(pid) / "stat");
  if (!text.ok()) return {};
  const size_t name_end = text.value().rfind(')');
  if (name_end == std::string::npos || name_end + 4 > text.value().size()) return {};
  return text.value().substr(name_end + 2);
}

pid_t parent_of(pid_t pid) {
  const std::string stat = stat_of(pid);
  return stat.empty() ? 0 : static_cast<pid_t>(std::strtol(stat.c_str() + 1, nullptr, 10));
}

// The strings of a file that ends each with a zero.
std::vector<std::string> zero_ended(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> list;
  for (std::string one; std::getline(file, one, '\0');) list.push_back(one);
  return list;
}

}  // namespace

std::vector<pid_t> tree_of(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto pid = static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10));
    children.emplace(parent_of(pid), pid);
  }
  std::vector<pid_t> tree = {root};
  for (size_t i = 0; i < tree.size(); ++i) {
    const auto [begin, end] = children.equal_range(tree[i]);
    for (auto child = begin; child != end; ++child) tree.push_back(child->second);
  }
  std::sort(tree.begin(), tree.end());
  return tree;
}

// One that nobody has waited for yet is still there for kill(), as a zombie.
bool has_ended(pid_t pid) {
  if (kill(pid, 0) != 0 && errno == ESRCH) return true;
  const std::string stat = stat_of(pid);
  return !stat.empty() && stat.front() == 'Z';
}

std::vector<std::string> mapped_files(pid_t pid) {
  std::ifstream maps(proc(pid) / "maps");
  std::vector<std::string> files;
  for (std::string line; std::getline(maps, line);) {
    const size_t begin = line.find('/');
    if (begin != std::string::npos) files.push_back(line.substr(begin));
  }
  return files;
}

std::string command_of(pid_t pid) {
  std::string command;
  for (const std::string& word : zero_ended(proc(pid) / "cmdline"))
    command += (command.empty() ? "" : " ") + word;
  return command;
}

std::vector<std::string> environment_of(pid_t pid) { return zero_ended(proc(pid) / "environ"); }

}  // namespace bohr::app

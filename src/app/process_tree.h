// SPDX-License-Identifier: Apache-2.0
// Processes as /proc shows them now. What has ended meanwhile has no parent and maps nothing.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace bohr::app {

// The process and its descendants, by number.
std::vector<pid_t> tree_of(pid_t root);

// A process that has ended, waited for or not.
bool has_ended(pid_t pid);

// The paths of the files that it maps; empty also where that may not be read.
std::vector<std::string> mapped_files(pid_t pid);

// Its name and arguments, as one line for people; empty where there are none.
std::string command_of(pid_t pid);

// "NAME=value" of its environment when it was started.
std::vector<std::string> environment_of(pid_t pid);

}  // namespace bohr::app

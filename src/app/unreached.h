// SPDX-License-Identifier: Apache-2.0
// Processes below a guest that use CUDA and have no agent in them: the driver loads it where its
// variable is in the environment, and some programs clear that for their children.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

namespace bohr::app {

struct UnreachedProcess {
  pid_t pid = 0;
  std::string name;  // "pid 77 worker"
  std::string why;
};

class Unreached {
 public:
  // Looks at the tree of a process as it is now; returns those that were not known before.
  std::vector<UnreachedProcess> look(pid_t root);
  const std::vector<UnreachedProcess>& all() const { return all_; }

 private:
  std::set<pid_t> told_;
  std::vector<UnreachedProcess> all_;
};

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// Processes that run with an agent inside, and the page by which each is let know of us.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace bohr::app {

struct Target {
  pid_t pid = 0;
  std::string dir;   // of its run
  std::string log;   // path
  std::string page;  // path
};

// The process and all below it that have an agent, in the order of their pids. Errors:
// `no-process`; `no-agent`, where there is none or what the process maps may not be read.
Result<std::vector<Target>> find_targets(pid_t pid);

// Lets an agent know where to connect, for as long as this lives.
class Attachment {
 public:
  // Error `attach-taken` while somebody else has one, `attach-page` where the page is not one of
  // ours.
  static Result<std::unique_ptr<Attachment>> open(const Target& target, const std::string& socket);
  ~Attachment();
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

 private:
  Attachment(int file, void* page) : file_(file), page_(page) {}
  int file_;  // locked
  void* page_;
};

}  // namespace bohr::app

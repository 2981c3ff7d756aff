// SPDX-License-Identifier: Apache-2.0
// What becomes of a program that an order ended, before it is started again.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace bohr::app {

// Ends what is left of a run whose process was lost: a kernel that waits for ever keeps its process
// from ending by itself. First the process, then the whole program, asked politely and then not.
class LostGuest {
 public:
  LostGuest(pid_t process, pid_t program) : process_(process), program_(program) {}
  // To be called now and then until the program has ended.
  void turn();

 private:
  using Clock = std::chrono::steady_clock;
  pid_t process_;
  pid_t program_;
  Clock::time_point since_ = Clock::now();
  int sent_ = 0;
};

// Moves what the processes of a run left to its folder lost-<number>, so that the folder of the run
// is one start's again.
Status put_aside(const std::string& dir, int64_t number);

}  // namespace bohr::app

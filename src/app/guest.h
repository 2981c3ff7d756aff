// SPDX-License-Identifier: Apache-2.0
// The program under test: started with our variables added to its environment, its input and
// output untouched, signals passed on to it.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace bohr::app {

struct GuestEnd {
  int code = 0;       // of its exit
  int signal = 0;     // that killed it, or 0
  int passed_on = 0;  // the last signal that ends programs which it was sent through us, or 0
};

// Not ended by the user, and not well.
bool failed_by_itself(const GuestEnd& end);
// As a shell tells it: the code, or 128 plus the signal.
int shell_code(const GuestEnd& end);
// "SIGINT", …, or "signal N".
std::string signal_name(int signal);

// While a guest lives, and from then on, SIGPIPE is ignored here (not by the guest). While it
// lives, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 of this process are passed on to it
// by a thread of its own, so that they get through whatever else goes on here. What a terminal
// sends to the whole foreground group reaches the guest without us.
class Guest {
 public:
  // Must be called before other threads are started.
  static Result<std::unique_ptr<Guest>> start(const std::vector<std::string>& command,
                                              const std::map<std::string, std::string>& variables);
  ~Guest();
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  pid_t pid() const;
  // Whether a signal that ends programs was passed on.
  bool ending() const;
  // Waits for its end for at most so long. Once it has ended, signals are ours again.
  std::optional<GuestEnd> wait(int milliseconds);

 private:
  struct State;
  explicit Guest(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bohr::app

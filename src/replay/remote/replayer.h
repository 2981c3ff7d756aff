// SPDX-License-Identifier: Apache-2.0
// A Replayer whose code runs in another process, which serves it over a socket (replay/service.h).
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "replay/replayer.h"

namespace bohr::replay {

// How long the other side may be kept.
struct Patience {
  // Asked before each request; once it says so, each is refused (`interrupted`).
  std::function<bool()> stop = [] { return false; };
  // After so long it goes on by itself for a while, between two runs. Zero: never.
  std::chrono::milliseconds most{0};
  // Waits until it can be had again, which is not before `rest`, and gives a new connection.
  std::function<Result<int>(std::chrono::milliseconds rest)> reconnect = {};
  // Told each request before it is run, and null once the other side has survived it.
  std::function<void(const Request*)> note_run = [](const Request*) {};
};

// What was asked of the other side's time.
struct Holds {
  int64_t count = 1;
  std::chrono::nanoseconds longest{0};
  std::chrono::nanoseconds all{0};
  OwnMemory memory;  // once it was released
};

// `program` has the steps that the other side serves, in the same order. Closes the socket when it
// is done, which lets the other side go. `holds`, where given, outlives the replayer.
std::unique_ptr<Replayer> remote_replayer(Program program, int socket, Patience patience = {},
                                          Holds* holds = nullptr);

}  // namespace bohr::replay

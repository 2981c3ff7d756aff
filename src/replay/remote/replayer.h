// SPDX-License-Identifier: Apache-2.0
// A Replayer whose code runs in another process, which serves it over a socket (replay/service.h).
#pragma once

#include <functional>
#include <memory>

#include "replay/replayer.h"

namespace bohr::replay {

// `program` has the steps that the other side serves, in the same order. Closes the socket when it
// is done, which lets the other side go.
// `stop` is asked before each request; once it says so, each is refused (`interrupted`).
std::unique_ptr<Replayer> remote_replayer(
    Program program, int socket, std::function<bool()> stop = [] { return false; });

}  // namespace bohr::replay

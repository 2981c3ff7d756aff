// SPDX-License-Identifier: Apache-2.0
// What the log says of the process that it lives in.
#pragma once

#include <string>

#include "agent/recorder.h"

namespace bohr::agent {

// The command line with the values of options that look like secrets left out. The environment is
// never recorded.
std::string scrubbed_command();

void add_process(Recorder& r);

// The calling thread's number, writing its Thread record the first time.
uint32_t this_thread(Recorder& r);

}  // namespace bohr::agent

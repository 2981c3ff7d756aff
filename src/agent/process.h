// SPDX-License-Identifier: Apache-2.0
// What the log says of the process that it lives in.
#pragma once

#include "agent/recorder.h"

namespace bohr::agent {

// And how it was started: settings, and what is mapped by now.
void add_process(Recorder& r);

// The calling thread's number, writing its Thread record the first time.
uint32_t this_thread(Recorder& r);

}  // namespace bohr::agent

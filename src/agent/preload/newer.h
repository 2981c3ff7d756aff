// SPDX-License-Identifier: Apache-2.0
// Functions of the driver that the recorder does not know, because they are newer: their calls are
// counted, for a program whose work goes past the recorder must not seem clean.
#pragma once

#include "agent/recorder.h"

namespace bohr::agent {

// Of a function that the CUDA headers of this build declare, in whatever version.
bool is_known(const char* name);

// A wrapper of `real` that counts; `real` where there are too many, which is told at the end.
void* counted(const char* name, void* real);

// What was called, and what could not be followed.
void report_counted(Recorder& r);

}  // namespace bohr::agent

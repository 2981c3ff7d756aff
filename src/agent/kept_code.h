// SPDX-License-Identifier: Apache-2.0
// Machine code that the program loads, kept beside the log where that was asked for
// (BOHR_KEEP_CODE): `bohr check` reads it with a disassembler, which has no place in here.
#pragma once

#include <string>

#include "agent/cubin.h"

namespace bohr::agent {

struct Recorder;

// The name under which the image is kept, from its contents; empty where it is not.
std::string keep_code(Recorder& r, const CodeImage& image);

}  // namespace bohr::agent

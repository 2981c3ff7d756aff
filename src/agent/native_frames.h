// SPDX-License-Identifier: Apache-2.0
// Native frames: addresses by the host's own unwinder, names from the dynamic symbols and, for what
// these do not cover, from the symbol table of the file.
#pragma once

#include <cstdint>

#include "agent/stacks.h"

namespace bohr::agent {

// Finds the unwinder and does what it does the first time, before the guest's threads are watched.
void prepare_unwinder();

// Where the interpreter's loop lies: unwinding stops there. Called once Python is known.
void find_interpreter();

// Appends return addresses, innermost first, up to the interpreter.
void append_addresses(RawWords* words);

NativeFrame native_frame(Recorder& r, uintptr_t address);

}  // namespace bohr::agent

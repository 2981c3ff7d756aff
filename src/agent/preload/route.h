// SPDX-License-Identifier: Apache-2.0
// What a program gets where it looks for a function of the driver: a wrapper that records the call
// (BOHR_DIR names a folder), one that repairs graphs alone (BOHR_APPLY names a fix file), or the
// function itself.
//
// Why not CUPTI: its subscription alone makes each launch of a graph slower on the GPU, whatever is
// asked of it and until it is taken down (docs/performance.md), and there is one in a process. A
// wrapped function costs a jump and what is done with the call.
#pragma once

#include "agent/wrapped.h"

namespace bohr::agent {

// Whether anything but the function itself may be handed out for this name.
bool is_of_interest(const char* name);

// What to hand out for `real`, which is what the driver has for `name`.
void* handed_out(const char* name, void* real, const Asked& asked);

// This thread is in a call that is wrapped, or in what a wrapper does around it.
bool is_inside();

// A function that this library defines under the driver's name; null where there is no driver.
void* linked_function(const char* name);

// The C library's lookup, which this library has defined anew (preload.cc).
void* real_lookup(void* library, const char* name);

}  // namespace bohr::agent

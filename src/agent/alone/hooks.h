// SPDX-License-Identifier: Apache-2.0
// The driver's functions that matter where graphs are repaired and nothing is recorded, with a
// wrapper around each.
//
// Why not CUPTI: its subscription alone makes each launch of a graph slower on the GPU, whatever is
// asked of it and until it is taken down (docs/performance.md). A wrapped function costs a jump.
//
// A wrapper is made for each function that the driver hands out, not for each name: several
// versions of one name live side by side. All of them take at most six arguments, none of them
// floating point or by value; both calling conventions that we build for (x86-64, aarch64) pass
// such arguments in registers, so that a wrapper can hand on six whatever the function takes.
#pragma once

#include <cstdint>

namespace bohr::agent {

using Word = uint64_t;
using AnyCall = Word (*)(Word, Word, Word, Word, Word, Word);

// Of a function that matters, with or without a version or per-thread suffix.
bool is_of_interest(const char* name);

// What to hand out for `real`, which the driver calls `name`: a wrapper, or `real` where it is of
// no interest or is called by ourselves.
void* hooked(const char* name, void* real);

// This thread is in a call that is wrapped, or in what the wrapper does around it.
bool inside_hook();

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Which wrapper stands for which function of the driver, where calls come through wrappers.
//
// Several versions of a function live side by side under one name, with different parameters, and
// programs ask for one by the CUDA version that they were built with. What the driver then hands
// out is almost always one of the functions that it exports, and is known by its address; only
// where it is not does the version decide.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/wrapping.h"

namespace bohr::agent {

// As in cuGetProcAddress.
struct Asked {
  int version = 0;  // 0: a symbol's own name was asked for
  bool per_thread = false;
};

// The wrapper to hand out instead of `real`, which the driver gave for `name`; `real` where the
// function is not recorded, or its parameters cannot be known. `exported` finds what the driver
// exports.
void* wrapped(const char* name, void* real, const Asked& asked,
              void* (*exported)(const char* symbol));

// Of a function that may be wrapped, with or without version.
bool is_wrapped(const char* name);

// Without what tells versions of a function apart: cuMemAlloc of cuMemAlloc_v2.
std::string_view plain_name(std::string_view symbol);

// Whether two functions are of one loaded library.
bool same_library(const void* one, const void* other);

}  // namespace bohr::agent

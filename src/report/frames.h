// SPDX-License-Identifier: Apache-2.0
// Stacks and names for people: the frame a user can act on, and kernel names without their
// template arguments.
#pragma once

#include <string>
#include <string_view>

#include "model/program.h"
#include "model/user_frames.h"

namespace bohr::report {

// Demangled, without template arguments, parameters and the outer namespaces of frameworks.
std::string short_name(std::string_view label);

// "indexer.py:409 forward_c4", or "function (module)" for a native frame.
std::string frame_text(const Frame& frame);
// The frame in full, for listings: whole path and demangled function.
std::string full_frame_text(const Frame& frame);

// short_name(), with the middle left out where it is still long.
std::string label_text(std::string_view label);

// " at indexer.py:412" of a block's allocation, unless the block's name says it.
std::string allocated_at(const Program& program, const Lifetime& lifetime);

// " at indexer.py:412", or nothing where no stack is known.
std::string at_stack(const Program& program, StackId stack);

}  // namespace bohr::report

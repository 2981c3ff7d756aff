// SPDX-License-Identifier: Apache-2.0
// Stacks and names for people: the frame a user can act on, and kernel names without their
// template arguments.
#pragma once

#include <string>
#include <string_view>

#include "model/program.h"

namespace bohr::report {

// Demangled, without template arguments, parameters and the outer namespaces of frameworks.
std::string short_name(std::string_view label);

// "indexer.py:409 forward_c4", or "function (module)" for a native frame.
std::string frame_text(const Frame& frame);
// The frame in full, for listings: whole path and demangled function.
std::string full_frame_text(const Frame& frame);

// The innermost frame of the user's own Python code; without one, of any code that is neither the
// driver's nor the framework's; without one, the innermost. Null for an empty or unknown stack.
const Frame* useful_frame(const Program& program, StackId stack);
// The next such frame outwards that stands elsewhere; null when there is none.
const Frame* useful_caller(const Program& program, StackId stack);

// short_name(), with the middle left out where it is still long.
std::string label_text(std::string_view label);

// " at indexer.py:412" of a block's allocation, unless the block's name says it.
std::string allocated_at(const Program& program, const Lifetime& lifetime);

// " at indexer.py:412", or nothing where no stack is known.
std::string at_stack(const Program& program, StackId stack);

}  // namespace bohr::report

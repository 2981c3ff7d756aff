// SPDX-License-Identifier: Apache-2.0
// The frames of a stack that a user can act on.
#pragma once

#include <vector>

#include "model/program.h"

namespace bohr {

// The innermost frame of the user's own Python code; without one, of any code that is neither the
// driver's nor the framework's; without one, the innermost. Null for an empty or unknown stack.
const Frame* useful_frame(const Program& program, StackId stack);
// The next such frame outwards that stands elsewhere; null when there is none.
const Frame* useful_caller(const Program& program, StackId stack);

// The one, and all further ones outwards; empty for an empty or unknown stack.
std::vector<const Frame*> users_frames(const Program& program, StackId stack);

// One line of one file, wherever the file lies: two machines keep it in different folders, and two
// arms of native code may be two programs.
bool same_line(const Frame& a, const Frame& b);

}  // namespace bohr

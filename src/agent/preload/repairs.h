// SPDX-License-Identifier: Apache-2.0
// Wrappers of the driver's functions that matter where graphs are repaired and nothing is recorded.
//
// A wrapper is made for each function that the driver hands out, not for each name: several
// versions of one name live side by side. All of them take at most six parameters, so that their
// calls can be handed on as words, and all versions have those that matter in the same places.
#pragma once

namespace bohr::agent {

// Of a function that matters, with or without a version or per-thread suffix.
bool is_repaired(const char* name);

// A wrapper of `real`, which the driver calls `name`; `real` where it does not matter.
void* repairing(const char* name, void* real);

}  // namespace bohr::agent

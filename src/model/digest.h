// SPDX-License-Identifier: Apache-2.0
// A digest of what a program asks for, to tell whether a witness belongs to it.
#pragma once

#include <cstdint>

#include "model/program.h"

namespace bohr {

// Of its ops, nodes, edges and accesses, labels included; stacks, names of files and expectations
// are left out.
uint64_t digest_of(const Program& program);

}  // namespace bohr

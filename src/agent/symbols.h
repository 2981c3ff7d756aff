// SPDX-License-Identifier: Apache-2.0
// Names of functions that a file defines and does not export, from its symbol table.
#pragma once

#include <cstdint>
#include <string>

namespace bohr::agent {

// The mangled name of the function at `offset` from where `file` is loaded; empty where the file
// has no symbol table, or is not as it should be. The table of each file is read once.
std::string symbol_in_file(const std::string& file, uint64_t offset);

}  // namespace bohr::agent

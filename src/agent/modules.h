// SPDX-License-Identifier: Apache-2.0
// Which loaded file an address lies in, and which of its exported functions. dladdr tells that too,
// by looking at every symbol of the file each time: half a millisecond for a library of 45,000.
#pragma once

#include <cstdint>
#include <string>

namespace bohr::agent {

struct Location {
  std::string file;     // as the loader names it; empty for the program itself
  uint64_t offset = 0;  // from where the file is loaded
  std::string symbol;   // mangled; empty where no exported symbol has the address
};

// False where no loaded file has the address.
bool locate(uintptr_t address, Location* location);

}  // namespace bohr::agent

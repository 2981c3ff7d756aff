// SPDX-License-Identifier: Apache-2.0
// What a program file says of how it is started.
#pragma once

#include <string>

namespace bohr::app {

struct ElfFile {
  bool is_elf = false;
  bool same_machine = false;  // as this tool: word size and instruction set
  std::string interpreter;    // path of its dynamic loader; empty: it is static
};
// Of a file that is damaged or cannot be read, no more than was found.
ElfFile read_elf(const std::string& path);

// What stands behind "#!" in the first line; empty: it is no script.
std::string first_line_of_script(const std::string& path);

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// Any bytes as a program file that `bohr doctor` looks at.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "app/elf_file.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bohr::app;
  const int file = memfd_create("program", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) return 0;
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const ElfFile elf = read_elf(path);
  BOHR_CHECK(elf.is_elf || !elf.same_machine);
  BOHR_CHECK(elf.same_machine || elf.interpreter.empty());
  const std::string line = first_line_of_script(path);
  BOHR_CHECK(line.size() < 256 && line.find('\n') == std::string::npos);
  close(file);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "app/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace bohr::app {

namespace {

constexpr size_t kMostPath = 4096;
constexpr size_t kScriptLine = 256;  // the kernel reads no more

#if defined(__aarch64__)
constexpr auto kMachine = EM_AARCH64;
#else
constexpr auto kMachine = EM_X86_64;
#endif

// Bytes of a file, as far as it has them.
class File {
 public:
  explicit File(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (file_ >= 0) close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string bytes(uint64_t at, size_t most) const {
    std::string text(most, '\0');
    const ssize_t got = pread(file_, text.data(), most, static_cast<off_t>(at));
    text.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return text;
  }
  template <class T>
  bool read(uint64_t at, T* out) const {
    return pread(file_, out, sizeof *out, static_cast<off_t>(at)) == ssize_t{sizeof *out};
  }

 private:
  int file_;
};

std::string text_up_to(std::string text, const char* ends) {
  text.resize(std::min(text.find_first_of(std::string(ends, strlen(ends) + 1)), text.size()));
  return text;
}

}  // namespace

ElfFile read_elf(const std::string& path) {
  ElfFile found;
  const File file(path);
  ElfW(Ehdr) head{};
  if (!file.read(0, &head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return found;
  found.is_elf = true;
  found.same_machine = head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_machine == kMachine;
  for (unsigned i = 0; found.same_machine && i < head.e_phnum; ++i) {
    ElfW(Phdr) part{};
    if (!file.read(head.e_phoff + uint64_t{i} * sizeof part, &part)) break;
    if (part.p_type != PT_INTERP) continue;
    found.interpreter =
        text_up_to(file.bytes(part.p_offset, std::min<size_t>(part.p_filesz, kMostPath)), "");
  }
  return found;
}

std::string first_line_of_script(const std::string& path) {
  const std::string begin = File(path).bytes(0, kScriptLine);
  if (begin.rfind("#!", 0) != 0) return {};
  const std::string line = text_up_to(begin.substr(2), "\r\n");
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos ? std::string() : line.substr(first);
}

}  // namespace bohr::app

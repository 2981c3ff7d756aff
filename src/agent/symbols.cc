// SPDX-License-Identifier: Apache-2.0
// Of a file only its tables' heads and its symbol table are read; a name when it is asked for. So
// a library of hundreds of megabytes costs what its functions are.
#include "agent/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace bohr::agent {
namespace {

constexpr size_t kMaxName = 4096;

struct Symbol {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t name = 0;  // where in the file
};

// An open file, and reads of whole structs that refuse what lies outside.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    const off_t end = file_ < 0 ? 0 : lseek(file_, 0, SEEK_END);
    size_ = end > 0 ? static_cast<uint64_t>(end) : 0;
  }
  ~ElfFile() {
    if (file_ >= 0) close(file_);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  uint64_t size() const { return size_; }
  bool read(uint64_t at, void* to, size_t size) const {
    return at <= INT64_MAX &&
           pread(file_, to, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
  }
  template <class T>
  bool read(uint64_t at, T* out) const {
    return read(at, out, sizeof(T));
  }
  std::string text(uint64_t at) const {
    char name[kMaxName];
    const ssize_t got =
        at > INT64_MAX ? -1 : pread(file_, name, sizeof name, static_cast<off_t>(at));
    return got <= 0 ? "" : std::string(name, strnlen(name, static_cast<size_t>(got)));
  }

 private:
  int file_;
  uint64_t size_;
};

// Symbol values are addresses; what is loaded at the file's base is the lowest loaded address.
uint64_t load_base(const ElfFile& file, const Elf64_Ehdr& head) {
  uint64_t base = UINT64_MAX;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!file.read(head.e_phoff + i * sizeof segment, &segment)) break;
    if (segment.p_type == PT_LOAD) base = std::min<uint64_t>(base, segment.p_vaddr);
  }
  return base == UINT64_MAX ? 0 : base & ~uint64_t{0xfff};
}

void add_functions(const ElfFile& file, const Elf64_Shdr& table, const Elf64_Shdr& names,
                   uint64_t base, std::vector<Symbol>* functions) {
  if (table.sh_size > file.size()) return;
  std::vector<Elf64_Sym> symbols(table.sh_size / sizeof(Elf64_Sym));
  if (!file.read(table.sh_offset, symbols.data(), symbols.size() * sizeof(Elf64_Sym))) return;
  for (const Elf64_Sym& symbol : symbols) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value < base) continue;
    const uint64_t begin = symbol.st_value - base;
    functions->push_back({begin, begin + symbol.st_size, names.sh_offset + symbol.st_name});
  }
}

std::vector<Symbol> read_functions(const ElfFile& file) {
  std::vector<Symbol> functions;
  Elf64_Ehdr head;
  if (!file.read(0, &head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return functions;
  const uint64_t base = load_base(file, head);
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr table, names;
    if (!file.read(head.e_shoff + i * sizeof table, &table)) break;
    if (table.sh_type != SHT_SYMTAB) continue;
    if (!file.read(head.e_shoff + table.sh_link * sizeof names, &names)) break;
    add_functions(file, table, names, base, &functions);
  }
  std::sort(functions.begin(), functions.end(),
            [](const Symbol& a, const Symbol& b) { return a.begin < b.begin; });
  return functions;
}

}  // namespace

std::string symbol_in_file(const std::string& path, uint64_t offset) {
  static auto* mutex = new std::mutex;  // never destroyed: threads outlive everything
  static auto* files = new std::map<std::string, std::vector<Symbol>>;
  std::lock_guard lock(*mutex);
  const auto [found, inserted] = files->try_emplace(path);
  if (inserted) found->second = read_functions(ElfFile(path));
  const std::vector<Symbol>& functions = found->second;
  const auto after =
      std::upper_bound(functions.begin(), functions.end(), offset,
                       [](uint64_t value, const Symbol& s) { return value < s.begin; });
  if (after == functions.begin() || offset >= std::prev(after)->end) return "";
  return ElfFile(path).text(std::prev(after)->name);
}

}  // namespace bohr::agent

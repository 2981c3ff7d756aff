// SPDX-License-Identifier: Apache-2.0
#include "agent/symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "agent/files.h"

namespace bohr::agent {
namespace {

constexpr size_t kMaxFile = 64 << 20;

struct Symbol {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string name;
};

// Reads whole structs out of a file's bytes, refusing what lies outside.
class SymbolImage {
 public:
  explicit SymbolImage(const std::string& path) : bytes_(read_file(path, kMaxFile)) {}
  template <class T>
  bool read(uint64_t at, T* out) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return false;
    std::memcpy(out, bytes_.data() + at, sizeof(T));
    return true;
  }
  std::string text(uint64_t at) const {
    if (at >= bytes_.size()) return "";
    return {bytes_.data() + at, strnlen(bytes_.data() + at, bytes_.size() - at)};
  }

 private:
  std::string bytes_;
};

// Symbol values are addresses; what is loaded at the file's base is the lowest loaded address.
uint64_t load_base(const SymbolImage& image, const Elf64_Ehdr& head) {
  uint64_t base = UINT64_MAX;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!image.read(head.e_phoff + i * sizeof segment, &segment)) break;
    if (segment.p_type == PT_LOAD) base = std::min<uint64_t>(base, segment.p_vaddr);
  }
  return base == UINT64_MAX ? 0 : base & ~uint64_t{0xfff};
}

std::vector<Symbol> read_symbols(const std::string& file) {
  std::vector<Symbol> symbols;
  const SymbolImage image(file);
  Elf64_Ehdr head;
  if (!image.read(0, &head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return symbols;
  const uint64_t base = load_base(image, head);
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr table, names;
    if (!image.read(head.e_shoff + i * sizeof table, &table)) break;
    if (table.sh_type != SHT_SYMTAB) continue;
    if (!image.read(head.e_shoff + table.sh_link * sizeof names, &names)) break;
    Elf64_Sym symbol;
    for (uint64_t at = 0; at + sizeof symbol <= table.sh_size; at += sizeof symbol) {
      if (!image.read(table.sh_offset + at, &symbol)) break;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value < base) continue;
      const uint64_t begin = symbol.st_value - base;
      symbols.push_back(
          {begin, begin + symbol.st_size, image.text(names.sh_offset + symbol.st_name)});
    }
  }
  std::sort(symbols.begin(), symbols.end(),
            [](const Symbol& a, const Symbol& b) { return a.begin < b.begin; });
  return symbols;
}

}  // namespace

std::string symbol_in_file(const std::string& file, uint64_t offset) {
  static auto* mutex = new std::mutex;  // never destroyed: threads outlive everything
  static auto* files = new std::map<std::string, std::vector<Symbol>>;
  std::lock_guard lock(*mutex);
  auto [found, inserted] = files->try_emplace(file);
  if (inserted) found->second = read_symbols(file);
  const std::vector<Symbol>& symbols = found->second;
  auto after = std::upper_bound(symbols.begin(), symbols.end(), offset,
                                [](uint64_t value, const Symbol& s) { return value < s.begin; });
  if (after == symbols.begin() || offset >= std::prev(after)->end) return "";
  return std::prev(after)->name;
}

}  // namespace bohr::agent

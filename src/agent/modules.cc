// SPDX-License-Identifier: Apache-2.0
// The symbols of a file are put into buckets by address when its first address is looked up: two
// passes over them. A lookup then goes through the functions of one bucket and, since a function
// may begin in an earlier one, of those before until one begins there at all. The last function
// that begins at or before an address is the one that has it, or none is: functions are not nested.
#include "agent/modules.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

namespace bohr::agent {
namespace {

// Of a loaded file, as the loader tells it.
struct Loaded {
  uintptr_t added = 0;  // to the addresses in the file
  uintptr_t begin = 0, end = 0;
  const ElfW(Dyn) * dynamic = nullptr;
  std::string file;
};

struct Search {
  uintptr_t address;
  Loaded* found;
};

// With the loader's lock held.
int look_at(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  uintptr_t begin = UINTPTR_MAX, end = 0;
  const ElfW(Dyn)* dynamic = nullptr;
  bool inside = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const uintptr_t at = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(at);
    if (part.p_type != PT_LOAD) continue;
    begin = std::min(begin, at & ~uintptr_t{0xfff}), end = std::max(end, at + part.p_memsz);
    inside = inside || (search->address >= at && search->address < at + part.p_memsz);
  }
  if (!inside) return 0;
  *search->found = {info->dlpi_addr, begin, end, dynamic, info->dlpi_name ? info->dlpi_name : ""};
  return 1;
}

// The tables of exported symbols that a file brings with it.
struct Exports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  uint32_t first = 0, end = 0;  // symbols that are defined here
};

// What finds a symbol by name (DT_GNU_HASH): a head of four words, a filter, the first symbol of
// each bucket, and for each symbol its hash, of which the last bit ends a bucket.
void count_symbols(const uint32_t* table, Exports* exports) {
  const uint32_t buckets = table[0];
  const uint32_t filter_words = table[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* first_of = table + 4 + filter_words;
  const uint32_t* hash_of = first_of + buckets;
  exports->first = exports->end = table[1];
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i) last = std::max(last, first_of[i]);
  if (last < exports->first) return;
  while ((hash_of[last - exports->first] & 1) == 0) ++last;
  exports->end = last + 1;
}

Exports exports_of(const Loaded& loaded) {
  Exports exports;
  const uint32_t* table = nullptr;
  // The loader puts addresses in place of offsets, except in what the kernel maps.
  const auto at = [&](const ElfW(Dyn) & entry) {
    return entry.d_un.d_ptr < loaded.begin ? loaded.added + entry.d_un.d_ptr : entry.d_un.d_ptr;
  };
  for (const ElfW(Dyn)* entry = loaded.dynamic; entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) exports.symbols = reinterpret_cast<const ElfW(Sym)*>(at(*entry));
    if (entry->d_tag == DT_STRTAB) exports.names = reinterpret_cast<const char*>(at(*entry));
    if (entry->d_tag == DT_GNU_HASH) table = reinterpret_cast<const uint32_t*>(at(*entry));
  }
  if (exports.symbols && exports.names && table) count_symbols(table, &exports);
  return exports;
}

class ExportedFunctions {
 public:
  explicit ExportedFunctions(const Loaded& loaded)
      : exports_(exports_of(loaded)),
        added_(loaded.added),
        begin_(loaded.begin),
        starts_((loaded.end - loaded.begin) / kBucket + 2) {
    each([&](uint32_t, size_t bucket) { ++starts_[bucket + 1]; });
    for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    sorted_.resize(starts_.back());
    std::vector<uint32_t> next = starts_;
    each([&](uint32_t symbol, size_t bucket) { sorted_[next[bucket]++] = symbol; });
  }

  const char* at(uintptr_t address) const {
    for (size_t bucket = bucket_of(address) + 1; bucket-- > 0;) {
      const ElfW(Sym)* last = nullptr;
      for (uint32_t i = starts_[bucket]; i < starts_[bucket + 1]; ++i) {
        const ElfW(Sym)& symbol = exports_.symbols[sorted_[i]];
        if (added_ + symbol.st_value > address) continue;
        if (!last || symbol.st_value > last->st_value) last = &symbol;
      }
      if (!last) continue;
      const bool inside = address - (added_ + last->st_value) < last->st_size;
      return inside ? exports_.names + last->st_name : "";
    }
    return "";
  }

 private:
  static constexpr uintptr_t kBucket = 16384;  // bytes of the file

  size_t bucket_of(uintptr_t address) const { return (address - begin_) / kBucket; }

  template <class Visit>
  void each(Visit&& visit) const {
    for (uint32_t i = exports_.first; i < exports_.end; ++i) {
      const ElfW(Sym)& symbol = exports_.symbols[i];
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      const uintptr_t at = added_ + symbol.st_value;
      const bool function = (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_size > 0;
      if (function && symbol.st_shndx != SHN_UNDEF && at >= begin_ &&
          bucket_of(at) + 1 < starts_.size())
        visit(i, bucket_of(at));
    }
  }

  Exports exports_;
  uintptr_t added_, begin_;
  std::vector<uint32_t> starts_;  // of each bucket in `sorted_`, and the end
  std::vector<uint32_t> sorted_;  // symbols by bucket
};

}  // namespace

bool locate(uintptr_t address, Location* location) {
  Loaded loaded;
  Search search{address, &loaded};
  if (dl_iterate_phdr(look_at, &search) == 0) return false;
  static auto* mutex = new std::mutex;  // never destroyed: threads outlive everything
  static auto* files = new std::map<std::pair<uintptr_t, std::string>, ExportedFunctions>;
  std::lock_guard lock(*mutex);
  const auto [known, inserted] = files->try_emplace(std::pair(loaded.begin, loaded.file), loaded);
  location->file = loaded.file;
  location->offset = address - loaded.begin;
  location->symbol = known->second.at(address);
  return true;
}

}  // namespace bohr::agent

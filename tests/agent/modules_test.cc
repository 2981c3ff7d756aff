// SPDX-License-Identifier: Apache-2.0
// Functions of loaded files by address, held against dladdr over whole libraries.
#include "agent/modules.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstring>
#include <string>
#include <vector>

namespace bohr::agent {
namespace {

struct Code {
  uintptr_t begin = 0, end = 0;
};

// The executable parts of the loaded files with this in their names.
std::vector<Code> code_of(const char* name) {
  struct Wanted {
    const char* name;
    std::vector<Code> parts;
  } wanted{name, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* list = static_cast<Wanted*>(data);
        if (!std::strstr(info->dlpi_name, list->name)) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          const uintptr_t at = info->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && (part.p_flags & PF_X))
            list->parts.push_back({at, at + part.p_memsz});
        }
        return 0;
      },
      &wanted);
  return wanted.parts;
}

// Symbols of other kinds, and of no size, which dladdr names as well, are left out.
bool is_function(const Dl_info& info, const ElfW(Sym) * symbol, uintptr_t address) {
  const unsigned type = symbol ? ELF64_ST_TYPE(symbol->st_info) : STT_NOTYPE;
  return info.dli_sname && (type == STT_FUNC || type == STT_GNU_IFUNC) &&
         address - reinterpret_cast<uintptr_t>(info.dli_saddr) < symbol->st_size;
}

class Modules : public testing::TestWithParam<const char*> {};

TEST_P(Modules, FunctionsAreThoseOfTheLoader) {
  const std::vector<Code> parts = code_of(GetParam());
  ASSERT_FALSE(parts.empty());
  size_t named = 0, other = 0, looked_at = 0;
  for (const Code& part : parts) {
    for (uintptr_t at = part.begin; at < part.end; at += 977, ++looked_at) {
      Dl_info info{};
      void* symbol = nullptr;
      ASSERT_NE(dladdr1(reinterpret_cast<void*>(at), &info, &symbol, RTLD_DL_SYMENT), 0);
      Location location;
      ASSERT_TRUE(locate(at, &location));
      EXPECT_EQ(location.file, info.dli_fname);
      EXPECT_EQ(location.offset, at - reinterpret_cast<uintptr_t>(info.dli_fbase));
      if (!is_function(info, static_cast<const ElfW(Sym)*>(symbol), at)) continue;
      ++named;
      // Of several names of one function either may be told.
      if (location.symbol == info.dli_sname) continue;
      other += dlsym(RTLD_DEFAULT, location.symbol.c_str()) != info.dli_saddr;
    }
  }
  EXPECT_GT(named, looked_at / 20);
  EXPECT_LE(other, named / 100) << "versions of one name, which dlsym does not tell apart";
}
INSTANTIATE_TEST_SUITE_P(Libraries, Modules, testing::Values("libc.so.6", "libstdc++.so.6"));

TEST(Modules, AnAddressOfNoFileIsNotLocated) {
  Location location;
  int local = 0;
  EXPECT_FALSE(locate(reinterpret_cast<uintptr_t>(&local), &location));
  EXPECT_FALSE(locate(0, &location));
  EXPECT_FALSE(locate(UINTPTR_MAX, &location));
}

TEST(Modules, TheProgramItselfHasNoName) {
  Location location;
  ASSERT_TRUE(locate(reinterpret_cast<uintptr_t>(&code_of), &location));
  EXPECT_EQ(location.file, "");
}

}  // namespace
}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Names from symbol tables: of this program's own functions, and of files that are none.
#include "agent/symbols.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "agent/modules.h"

namespace bohr::agent {
namespace {

__attribute__((noinline)) int not_exported(int value) { return value * 3 + 1; }

uint64_t offset_of(int (*function)(int)) {
  Location location;
  EXPECT_TRUE(locate(reinterpret_cast<uintptr_t>(function), &location));
  return location.offset;
}

struct SymbolFiles : testing::Test {
  SymbolFiles() {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    program.assign(std::istreambuf_iterator<char>(file), {});
    path = testing::TempDir() + "bohr-symbols-" + std::to_string(getpid()) + "-" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  ~SymbolFiles() override { std::filesystem::remove(path); }
  std::string named_in(const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return symbol_in_file(path, offset_of(not_exported) + 1);
  }
  std::string program, path;
};

TEST_F(SymbolFiles, AFunctionThatIsNotExportedHasItsName) {
  EXPECT_NE(named_in(program).find("not_exported"), std::string::npos);
}

TEST_F(SymbolFiles, WhatIsNoFileHasNoNames) {
  EXPECT_EQ(symbol_in_file("/nonexistent", 0), "");
  EXPECT_EQ(symbol_in_file("/", 0), "");
  EXPECT_EQ(named_in(""), "");
}

TEST_F(SymbolFiles, AFileThatIsCutOffHasNoNames) {
  EXPECT_EQ(named_in(program.substr(0, program.size() / 2)), "");
}

// Every table says that it is larger than the file, and begins behind it.
TEST_F(SymbolFiles, TablesThatLieAreLeftOut) {
  ElfW(Ehdr) head;
  std::memcpy(&head, program.data(), sizeof head);
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    ElfW(Shdr) table;
    char* at = program.data() + head.e_shoff + i * sizeof table;
    std::memcpy(&table, at, sizeof table);
    table.sh_size = i % 2 == 0 ? UINT64_MAX : uint64_t{1} << 40;
    table.sh_offset = UINT64_MAX - 8;
    std::memcpy(at, &table, sizeof table);
  }
  EXPECT_EQ(named_in(program), "");
}

}  // namespace
}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// The files of the corpus.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace bohr {

// "shared/x.race.case", …: those below the corpus whose names end in `ending`, sorted.
inline std::vector<std::string> case_files(const std::vector<std::string>& endings) {
  std::vector<std::string> files;
  const std::filesystem::path root = BOHR_CASES_DIR;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string file = std::filesystem::relative(entry.path(), root).string();
    for (const std::string& ending : endings) {
      const bool fits = file.size() > ending.size() &&
                        file.compare(file.size() - ending.size(), ending.size(), ending) == 0;
      if (fits && entry.is_regular_file()) files.push_back(file);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string case_text(const std::string& file) {
  std::ifstream in(std::filesystem::path(BOHR_CASES_DIR) / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string case_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.rfind(".case"));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '.'; }, '_');
  return name;
}

}  // namespace bohr

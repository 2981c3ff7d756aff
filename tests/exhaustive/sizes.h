// SPDX-License-Identifier: Apache-2.0
// Whole enumerations take minutes: they run when BOHR_EXHAUSTIVE is "full", else they are skipped.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace bohr::naive {

inline bool full_size() {
  const char* size = std::getenv("BOHR_EXHAUSTIVE");
  return size != nullptr && std::string_view(size) == "full";
}

}  // namespace bohr::naive

#define BOHR_FULL_ONLY() \
  if (!::bohr::naive::full_size()) GTEST_SKIP() << "set BOHR_EXHAUSTIVE=full"

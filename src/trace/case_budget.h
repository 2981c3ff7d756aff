// SPDX-License-Identifier: Apache-2.0
// Bounds what a short text can blow up into: the pieces of generations laid over each other, the
// accesses and edges that follow from them, the ops that the allocator adds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "trace/case_lexer.h"

namespace bohr::trace::text {

class Budget {
 public:
  explicit Budget(size_t text_bytes) : left_(std::min(kMost, kSpare + uint64_t{4} * text_bytes)) {}

  Status take(uint64_t entries, int32_t line) {
    if (entries > left_) {
      return case_error("case-too-large", line,
                        "the case grows into far more pieces, accesses or edges than its length",
                        "split the case");
    }
    left_ -= entries;
    return Nothing{};
  }

 private:
  static constexpr uint64_t kSpare = 1'000'000;
  static constexpr uint64_t kMost = 50'000'000;
  uint64_t left_;
};

}  // namespace bohr::trace::text

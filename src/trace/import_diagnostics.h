// SPDX-License-Identifier: Apache-2.0
// Collects what import did not understand. What loses no order is counted in one entry per reason
// and text. What loses order keeps its place, because pairs across that place become candidates;
// beyond a number of places the last entry grows to cover the rest, so memory stays bounded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/program.h"

namespace bohr::trace {

class Diagnostics {
 public:
  // `seq`: where it was met; 0 when it belongs to no place.
  void add(std::string_view reason, std::string_view text, uint64_t seq);
  void add_order_lost(std::string_view reason, std::string_view text, uint64_t seq);
  void pass(bohr::Diagnostic diagnostic) { list_.push_back(std::move(diagnostic)); }
  std::vector<bohr::Diagnostic> take() { return std::move(list_); }

 private:
  struct Listed {
    size_t last = 0;  // index of its newest entry
    int64_t entries = 0;
  };
  void grow(bohr::Diagnostic& entry, uint64_t seq);
  Listed& listed(std::string_view reason, std::string_view text, bool loses_order);

  std::vector<bohr::Diagnostic> list_;
  std::map<std::pair<std::string, std::string>, Listed, std::less<>> index_;
};

// Sequence numbers are unsigned in the log and signed in the model.
int64_t to_place(uint64_t seq);

}  // namespace bohr::trace

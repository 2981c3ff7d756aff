// SPDX-License-Identifier: Apache-2.0
#include "trace/import_diagnostics.h"

#include <algorithm>

namespace bohr::trace {

namespace {
constexpr int64_t kPlacesListed = 256;  // per reason and text
}

int64_t to_place(uint64_t seq) {
  return static_cast<int64_t>(std::min(seq, static_cast<uint64_t>(INT64_MAX)));
}

void Diagnostics::grow(bohr::Diagnostic& entry, uint64_t seq) {
  if (seq == 0) {
    entry.from = INT64_MIN;
    entry.to = INT64_MAX;
  } else if (entry.count == 0) {
    entry.from = entry.to = to_place(seq);
  } else {
    entry.from = std::min(entry.from, to_place(seq));
    entry.to = std::max(entry.to, to_place(seq));
  }
  ++entry.count;
}

Diagnostics::Listed& Diagnostics::listed(std::string_view reason, std::string_view text,
                                         bool loses_order) {
  Listed& listed = index_[{std::string(reason), std::string(text)}];
  const bool wanted = listed.entries == 0 || (loses_order && listed.entries < kPlacesListed);
  if (wanted) {
    listed.last = list_.size();
    ++listed.entries;
    bohr::Diagnostic entry;
    entry.reason = reason;
    entry.text = text;
    entry.count = 0;
    entry.loses_order = loses_order;
    list_.push_back(std::move(entry));
  }
  return listed;
}

void Diagnostics::add(std::string_view reason, std::string_view text, uint64_t seq) {
  grow(list_[listed(reason, text, false).last], seq);
}

void Diagnostics::add_order_lost(std::string_view reason, std::string_view text, uint64_t seq) {
  grow(list_[listed(reason, text, true).last], seq);
}

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Storage of the rows: one flat array, a step's row between two begins.
#include "order/clocks.h"

#include <algorithm>

namespace bohr::order {

int32_t Clocks::add(int32_t chain, Position position, std::span<const Position> row) {
  places_.push_back({chain, position});
  rows_.insert(rows_.end(), row.begin(), row.end());
  begins_.push_back(rows_.size());
  return static_cast<int32_t>(places_.size()) - 1;
}

void Clocks::reserve(size_t steps, size_t row_width) {
  places_.reserve(steps);
  begins_.reserve(steps + 1);
  rows_.reserve(std::min(steps * row_width, kMostEntries));
}

std::span<const Position> Clocks::row(int32_t step) const {
  const size_t i = static_cast<size_t>(step);
  return {rows_.data() + begins_[i], rows_.data() + begins_[i + 1]};
}

Position Clocks::known(int32_t step, int32_t chain) const {
  const size_t i = static_cast<size_t>(step);
  const uint64_t at = begins_[i] + static_cast<uint64_t>(chain);
  return chain >= 0 && at < begins_[i + 1] ? rows_[at] : 0;
}

Error order_too_large(const std::string& what, const Clocks& clocks) {
  return {"order-too-large", what, "",
          "too many of its steps are side by side: the order of the first " +
              std::to_string(clocks.size()) + " takes " +
              std::to_string((clocks.entries() * sizeof(Position)) >> 20) + " MiB",
          "give a part of it: one graph, or a shorter trace"};
}

}  // namespace bohr::order

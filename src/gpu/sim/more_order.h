// SPDX-License-Identifier: Apache-2.0
// Order that a tape does not have, for runs of it that are to have more: each pair of items comes
// about in every run, as if an edge or a wait had been there.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "gpu/sim/tape.h"

namespace bohr::gpu::sim {

class MoreOrder {
 public:
  MoreOrder() = default;
  // The second of each pair waits for the first. Refuses (`sim-order`) what no event and no edge
  // could bring about: an op that waits for one which is issued later, or nodes in a circle.
  static Result<MoreOrder> of(const Tape& tape, const std::vector<std::pair<Item, Item>>& pairs);

  bool empty() const { return before_.empty(); }
  // What an item waits for besides.
  const std::vector<Item>& before(const Item& item) const;
  // An order of a launch's nodes in which each comes after all that it waits for; null: as they
  // are listed.
  const std::vector<int32_t>* nodes_of(int32_t op) const;

 private:
  std::map<Item, std::vector<Item>> before_;
  std::map<int32_t, std::vector<int32_t>> nodes_;  // by op; of launches with pairs inside
};

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// Turns places and accesses into the sides of a finding: labels, ranges, and what order exists.
#pragma once

#include <vector>

#include "check/arena.h"
#include "check/pairs.h"
#include "model/verdict.h"

namespace bohr::check {

class Describer {
 public:
  Describer(const Program& program, const Arenas& arenas);

  Side side(const Place& place, const Access& access) const;
  // A label without launch count and node number: equal over layers, graphs and launches.
  std::string plain_label(const Place& place) const;
  // The bytes that two accesses share, as the second side's lifetime names them.
  NamedRange shared(const Access& a, const Access& b) const;
  // Adds the names of the lifetime and of the views that lie over an access.
  void add_names(const Access& access, std::vector<std::string>* names) const;
  OrderFacts order(const Place& first, const Place& second) const;
  // What the owner stream knows when `lifetime` is freed, and needs to.
  OrderFacts order_at_free(const Place& use, const Lifetime& lifetime) const;

 private:
  struct ChainIndex {
    std::vector<std::vector<int32_t>> steps;  // by chain, by position - 1
    std::vector<int32_t> op;                  // of a step
  };
  static ChainIndex index_chains(const order::Clocks& clocks, const std::vector<int32_t>& step,
                                 int32_t chains);
  std::string label(const Place& place) const;
  std::string where(const Place& place) const;
  OrderFacts order_in(const order::Clocks& clocks, const ChainIndex& index, GraphId graph,
                      int32_t first, int32_t second) const;

  const Program& program_;
  const Arenas& arenas_;
  ChainIndex outside_;
  std::vector<ChainIndex> graphs_;
  std::vector<std::vector<int32_t>> views_;  // by lifetime
};

}  // namespace bohr::check

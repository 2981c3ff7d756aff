// SPDX-License-Identifier: Apache-2.0
// Which ops and nodes access a lifetime.
#pragma once

#include <span>
#include <vector>

#include "check/pairs.h"
#include "model/program.h"

namespace bohr::check {

struct Use {
  Place place;  // without a launch
  int32_t access = 0;
};

class Uses {
 public:
  explicit Uses(const Program& program);
  // In issue order: ops outside graphs, then the nodes of each graph.
  std::span<const Use> of(LifetimeId lifetime) const;

 private:
  std::vector<uint32_t> begin_;
  std::vector<Use> uses_;
};

// Lifetimes that share bytes with another one, by connected cluster.
struct Contested {
  std::vector<int32_t> cluster;  // of each lifetime; -1 where its bytes are its own
  int32_t clusters = 0;
};

Contested contested_lifetimes(const Program& program);

}  // namespace bohr::check

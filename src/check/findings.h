// SPDX-License-Identifier: Apache-2.0
// Unordered pairs, early uses, lifetime and pool hazards become findings and candidates.
#pragma once

#include <vector>

#include "check/arena.h"
#include "check/describe.h"
#include "check/early_rule.h"
#include "check/facts.h"
#include "check/lifetime_rule.h"
#include "check/pairs.h"
#include "check/pool_rule.h"
#include "model/verdict.h"

namespace bohr::check {

// `unlisted[i]`: pairs like the i-th that were only counted.
struct Told {
  std::vector<Finding> findings;
  std::vector<int64_t> unlisted;
  std::vector<Finding> candidates;
  std::vector<int64_t> unlisted_candidates;
};

struct Raw {
  std::vector<Pair> pairs;
  std::vector<LifetimeHazard> lifetimes;
  std::vector<EarlyUse> early;
  std::vector<PoolHazard> pools;
};

Told tell(const Program& program, const Facts& facts, const Describer& describer, const Raw& raw);

}  // namespace bohr::check

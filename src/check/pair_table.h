// SPDX-License-Identifier: Apache-2.0
// Collects conflicts into pairs: one pair for two places, whatever number of ranges they meet on.
#pragma once

#include <unordered_map>
#include <vector>

#include "check/pairs.h"

namespace bohr::check {

class PairTable {
 public:
  // The two places in any order. A pair that is known keeps the earlier launches.
  void add(Place a, int32_t access_a, Place b, int32_t access_b);
  // `count` more pairs like the one added last.
  void add_unlisted(int64_t count);
  // How many more pairs to list for the next two lists: up to `limit`, fewer once much is listed,
  // but always one, so that no cause is missed.
  int64_t allowance(int64_t limit) const;
  std::vector<Pair> take();

 private:
  struct Key {
    int32_t graph_a, index_a, graph_b, index_b;
    bool launched;  // of two launches, not within one
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const noexcept;
  };
  std::unordered_map<Key, size_t, KeyHash> known_;
  std::vector<Pair> pairs_;
  size_t last_ = 0;
};

}  // namespace bohr::check

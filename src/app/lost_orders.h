// SPDX-License-Identifier: Apache-2.0
// What ended the programs that were explored, by the work that they did, so that a program that is
// started again is not lost in the same way again.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "explore/lost_orders.h"
#include "model/program.h"

namespace bohr::app {

// Of what a graph does, in words: labels, kinds and edges. Addresses and numbers of a process are
// not in it, so the same graph of another start has the same key.
uint64_t work_key(const Graph& graph, const Program& program);

struct LostOrders {
  std::map<uint64_t, std::vector<explore::LostOrder>> orders;  // by work
  std::set<uint64_t> unlearned;  // work whose process was lost while it was watched for its writes
};

}  // namespace bohr::app

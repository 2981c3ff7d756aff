// SPDX-License-Identifier: Apache-2.0
// The assumption host-order-observed: what a thread knew when one of its calls returned is known to
// every call that is entered later, on whatever thread. Calls are seen in the order of their entry.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "order/clocks.h"

namespace bohr::order {

class HostOrder {
 public:
  // Knowledge of all calls that returned before sequence number `enter`.
  const Row& returned_before(int64_t enter);
  // A call whose thread knows `row` from its return at `exit` on.
  void call(int64_t exit, const Row& row);

 private:
  struct Return {
    int64_t exit;
    Row row;
    bool operator>(const Return& other) const { return exit > other.exit; }
  };
  std::priority_queue<Return, std::vector<Return>, std::greater<>> pending_;
  Row known_;
};

}  // namespace bohr::order

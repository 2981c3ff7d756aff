// SPDX-License-Identifier: Apache-2.0
// Returns wait in a heap until a call is entered after them.
#include "order/host_order.h"

namespace bohr::order {

const Row& HostOrder::returned_before(int64_t enter) {
  while (!pending_.empty() && pending_.top().exit < enter) {
    join(known_, pending_.top().row);
    pending_.pop();
  }
  return known_;
}

void HostOrder::call(int64_t exit, const Row& row) { pending_.push({exit, row}); }

}  // namespace bohr::order

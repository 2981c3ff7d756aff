// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/serial.h"

#include <algorithm>
#include <vector>

#include "gpu/sim/executor.h"

namespace bohr::gpu::sim {

Status run_serial(const Tape& tape, std::span<const Item> order, uint64_t salt, Arena* arena) {
  std::vector<Item> wanted = items_of(tape);
  std::vector<Item> given(order.begin(), order.end());
  std::sort(wanted.begin(), wanted.end());
  std::sort(given.begin(), given.end());
  if (given != wanted)
    return Error{"sim-order", "order", "",
                 "it does not name each of the " + std::to_string(wanted.size()) + " items once",
                 "take the items from the tape that the order is for"};
  arena->restore({});
  Executor executor(tape, arena, salt);
  for (const Item& item : order) BOHR_TRY_STATUS(executor.run(item));
  return Nothing{};
}

}  // namespace bohr::gpu::sim

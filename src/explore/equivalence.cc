// SPDX-License-Identifier: Apache-2.0
// A set is summed up by a sum of hashes, a sequence by folding.
#include "explore/equivalence.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"

namespace bohr::explore {

namespace {

enum class Among : uint64_t { reads = 1, atomics = 2, writes = 3 };

Among among(const Use& use) {
  if (use.atomic) return Among::atomics;
  return use.writes ? Among::writes : Among::reads;
}

uint64_t cell_key(std::span<const Use> uses, const std::vector<int32_t>& place,
                  std::vector<const Use*>* sorted) {
  sorted->clear();
  for (const Use& use : uses) sorted->push_back(&use);
  std::sort(sorted->begin(), sorted->end(), [&](const Use* a, const Use* b) {
    return place[static_cast<size_t>(a->step)] < place[static_cast<size_t>(b->step)];
  });
  uint64_t key = 0;
  for (size_t i = 0; i < sorted->size();) {
    const Among kind = among(*(*sorted)[i]);
    uint64_t sum = 0;
    const size_t first = i;
    // Writes do not commute: each is a set of its own.
    while (i < sorted->size() && among(*(*sorted)[i]) == kind &&
           (kind != Among::writes || i == first))
      sum += mix(static_cast<uint64_t>((*sorted)[i++]->step) + 1);
    key = mix(key ^ mix(sum + static_cast<uint64_t>(kind)));
  }
  return key;
}

}  // namespace

uint64_t order_key(std::span<const int32_t> schedule, const Footprints& uses) {
  std::vector<int32_t> place(schedule.size());
  for (size_t i = 0; i < schedule.size(); ++i)
    place[static_cast<size_t>(schedule[i])] = static_cast<int32_t>(i);
  std::vector<const Use*> sorted;
  uint64_t key = 0;
  for (const int32_t cell : uses.racy_cells())
    key = mix(key ^ cell_key(uses.of_cell(cell), place, &sorted));
  return key;
}

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
#include "trace/import_timeline.h"

#include <algorithm>
#include <tuple>

namespace bohr::trace {

namespace {

// The place of a record that import acts upon; false for the others.
struct Place {
  uint64_t seq = 0;
  bool operator()(const MemAlloc& r) { return seq = returned_at(r.call), true; }
  bool operator()(const BlockAlloc&) { return false; }
  bool operator()(const BlockFree&) { return false; }
  bool operator()(const Exec&) { return false; }
  template <class R>
  bool operator()(const R& r) {
    if constexpr (requires { r.call.seq; })
      return seq = r.call.seq, true;
    else
      return false;
  }
};

}  // namespace

std::vector<Item> timeline(const Log& log, const GraphPlans& plans, const BlockLives& blocks) {
  std::vector<Item> items;
  items.reserve(log.records.size() + 2 * blocks.lives.size());
  for (size_t i = 0; i < log.records.size(); ++i) {
    Place place;
    if (std::visit(place, log.records[i]))
      items.push_back({place.seq, 1, ItemKind::record, static_cast<uint32_t>(i), 0});
  }
  for (const GraphPlan& plan : plans.plans)
    for (size_t i = 0; i < plan.nodes.size(); ++i)
      items.push_back({plan.nodes[i].seq, 1, ItemKind::node, static_cast<uint32_t>(plan.id.index()),
                       static_cast<uint32_t>(i)});
  for (size_t i = 0; i < blocks.lives.size(); ++i) {
    const BlockLife& life = blocks.lives[i];
    const uint32_t a = static_cast<uint32_t>(i);
    items.push_back({life.alloc->call.seq, 1, ItemKind::block_begin, a, 0});
    if (life.free_seq != 0)
      items.push_back(
          {life.free_seq, static_cast<uint8_t>(life.after ? 2 : 0), ItemKind::block_end, a, 0});
  }
  std::sort(items.begin(), items.end(), [](const Item& x, const Item& y) {
    return std::tie(x.seq, x.rank, x.kind, x.a, x.b) < std::tie(y.seq, y.rank, y.kind, y.a, y.b);
  });
  return items;
}

}  // namespace bohr::trace

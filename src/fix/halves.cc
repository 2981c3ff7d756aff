// SPDX-License-Identifier: Apache-2.0
// An op's accesses are one slice of a table, so those of an op whose updates are parted move to the
// end of it. What stood there before stays and belongs to no op.
#include "fix/halves.h"

#include <algorithm>

#include "base/check.h"

namespace bohr::fix {

uint32_t place_of_half(std::span<const Access> original, uint32_t k, Half half) {
  if (half != Half::written || original[k].mode != AccessMode::update) return k;
  const auto updates =
      std::count_if(original.begin(), original.begin() + k,
                    [](const Access& access) { return access.mode == AccessMode::update; });
  return static_cast<uint32_t>(original.size() + static_cast<size_t>(updates));
}

const Halves::Home& Halves::home_of(const AccessRef& ref) {
  if (homes_.empty()) {
    const auto add = [&](GraphId graph, std::vector<Op>& ops) {
      for (Op& op : ops)
        for (uint32_t k = 0; k < op.access_count; ++k)
          homes_[{graph, op.access_begin + k}] = {&op, k, op.access_begin, op.access_count};
    };
    add(GraphId(), program_.ops);
    for (size_t g = 0; g < program_.graphs.size(); ++g) add(GraphId(g), program_.graphs[g].nodes);
  }
  const auto found = homes_.find({ref.graph, ref.index});
  BOHR_CHECK(found != homes_.end());
  return found->second;
}

void Halves::part(const Home& home, std::vector<Access>* table) {
  const auto [known, fresh] = parted_.try_emplace(home.op);
  if (!fresh) return;
  std::vector<Access>& was = known->second;
  was.assign(table->begin() + home.begin, table->begin() + home.begin + home.count);
  home.op->access_begin = static_cast<uint32_t>(table->size());
  std::vector<Access> writes;
  for (const Access& access : was) {
    table->push_back(access);
    if (access.mode != AccessMode::update) continue;
    table->back().mode = AccessMode::read;
    writes.push_back(access);
    writes.back().mode = AccessMode::write;
  }
  table->insert(table->end(), writes.begin(), writes.end());
  home.op->access_count = static_cast<uint32_t>(table->size()) - home.op->access_begin;
}

Access* Halves::find(const AccessRef& ref) {
  const Home& home = home_of(ref);
  auto& table = ref.graph.valid() ? program_.graphs[ref.graph.index()].accesses : program_.accesses;
  if (ref.half != Half::both) part(home, &table);
  const auto parted = parted_.find(home.op);
  const uint32_t k =
      parted == parted_.end() ? home.k : place_of_half(parted->second, home.k, ref.half);
  return &table[home.op->access_begin + k];
}

}  // namespace bohr::fix

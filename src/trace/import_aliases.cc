// SPDX-License-Identifier: Apache-2.0
// The place is that of the first mapping if it shows all that is ever shown and nothing else is
// ever mapped there; else it is an address that no program has.
#include "trace/import_aliases.h"

#include <algorithm>
#include <set>

#include "trace/import_memory.h"

namespace bohr::trace {

namespace {

constexpr uint64_t kNowhere = uint64_t{1} << 60;  // above what any device addresses
constexpr uint64_t kMostReach = uint64_t{1} << 48;

bool sensible(const Mapping& m) {
  return m.physical != 0 && m.bytes != 0 && m.bytes < kMostReach && m.offset < kMostReach &&
         m.address < kNowhere && m.address >= m.offset;
}

ByteRange shown(const Mapping& m) { return {m.offset, m.offset + m.bytes}; }

// Whether some byte shows at two addresses. `list` is sorted by offset.
bool several_addresses(const std::vector<const Mapping*>& list) {
  uint64_t reach = 0, base = 0;
  for (const Mapping* m : list) {
    if (m->offset < reach && m->address - m->offset != base) return true;
    if (m->offset + m->bytes <= reach) continue;
    reach = m->offset + m->bytes;
    base = m->address - m->offset;
  }
  return false;
}

using MappingList = std::vector<const Mapping*>;

// Addresses at which, at one time or another, several memories show.
std::set<const Mapping*> contested(MappingList all) {
  std::sort(all.begin(), all.end(),
            [](const Mapping* a, const Mapping* b) { return a->address < b->address; });
  std::set<const Mapping*> result;
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    uint64_t reach = all[i]->address + 1;
    bool several = false;
    for (; end < all.size() && all[end]->address < reach; ++end) {
      reach = std::max(reach, all[end]->address + all[end]->bytes);
      several = several || all[end]->physical != all[i]->physical;
    }
    if (several)
      result.insert(all.begin() + static_cast<std::ptrdiff_t>(i),
                    all.begin() + static_cast<std::ptrdiff_t>(end));
    i = end;
  }
  return result;
}

}  // namespace

Aliases::Aliases(const Log& log, const LogIndex& index) : index_(index) {
  std::map<uint32_t, MappingList> by_physical;
  MappingList everything;
  for (const Record& record : log.records) {
    const Mapping* m = std::get_if<Mapping>(&record);
    if (!m || !sensible(*m)) continue;
    by_physical[m->physical].push_back(m);
    everything.push_back(m);
  }
  if (everything.empty()) return;
  const std::set<const Mapping*> others_show = contested(everything);
  uint64_t nowhere = kNowhere;
  for (auto& [physical, list] : by_physical) {
    const Mapping& first = *list.front();
    std::stable_sort(list.begin(), list.end(),
                     [](const Mapping* a, const Mapping* b) { return a->offset < b->offset; });
    if (!several_addresses(list)) continue;
    ByteRange all = shown(*list.front());
    for (const Mapping* m : list) all.end = std::max(all.end, shown(*m).end);
    SharedMemory shared;
    shared.first = all.begin;
    shared.mappings = static_cast<int64_t>(list.size());
    if (shown(first).contains(all) && others_show.count(&first) == 0) {
      shared.place = {first.address, first.address + first.bytes};
    } else if (nowhere > UINT64_MAX / 2) {
      continue;  // more than any memory, so the records are damaged
    } else {
      shared.place = {nowhere, nowhere + all.size()};
      nowhere += all.size();
    }
    shared_.emplace(physical, shared);
  }
}

SharedMemory* Aliases::of(const MemAlloc& alloc, uint64_t* offset) {
  if (shared_.empty()) return nullptr;
  const auto mapping = index_.mappings.find({alloc.address, alloc.call.seq});
  if (mapping == index_.mappings.end() || mapping->second->bytes != alloc.bytes) return nullptr;
  const auto found = shared_.find(mapping->second->physical);
  if (found == shared_.end() || !sensible(*mapping->second)) return nullptr;
  *offset = mapping->second->offset;
  return &found->second;
}

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Groups by hashing ranges, lists by counting sort; overlap by a sweep over begins.
#include "check/groups.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace bohr::check {

namespace {

struct RangeHash {
  size_t operator()(const ByteRange& range) const noexcept {
    uint64_t h = range.begin * 0x9e3779b97f4a7c15ULL;
    h ^= (range.end + (h >> 29)) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<size_t>(h ^ (h >> 32));
  }
};

// Group numbers in the order of their ranges, one per placed access.
std::vector<uint32_t> number_groups(const std::vector<Placed>& placed, std::vector<Group>* groups) {
  std::unordered_map<ByteRange, uint32_t, RangeHash> numbers;
  std::vector<uint32_t> of(placed.size());
  for (size_t i = 0; i < placed.size(); ++i) {
    const auto [it, added] =
        numbers.emplace(placed[i].range, static_cast<uint32_t>(groups->size()));
    if (added) groups->push_back({placed[i].range, 0, 0});
    of[i] = it->second;
  }
  std::vector<uint32_t> order(groups->size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return (*groups)[a].range < (*groups)[b].range; });
  std::vector<uint32_t> rank(order.size());
  std::vector<Group> sorted(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    sorted[i] = (*groups)[order[i]];
  }
  for (uint32_t& group : of) group = rank[group];
  *groups = std::move(sorted);
  return of;
}

struct ListKey {
  uint32_t group;
  List list;
};

}  // namespace

Groups make_groups(const std::vector<Placed>& placed, const order::Clocks& clocks) {
  Groups result;
  const std::vector<uint32_t> group_of = number_groups(placed, &result.groups);

  // Lists in order of first appearance within a group; then laid out group by group.
  std::unordered_map<uint64_t, uint32_t> numbers;
  std::vector<ListKey> keys;
  std::vector<uint32_t> list_of(placed.size());
  for (size_t i = 0; i < placed.size(); ++i) {
    const int32_t chain = clocks.chain(placed[i].entry.step);
    const uint64_t kind = static_cast<uint64_t>(chain) * 8 + (placed[i].early ? 4 : 0) +
                          static_cast<uint64_t>(placed[i].effect);
    const uint64_t key = static_cast<uint64_t>(group_of[i]) << 32 | kind;
    const auto [it, added] = numbers.emplace(key, static_cast<uint32_t>(keys.size()));
    if (added) keys.push_back({group_of[i], {chain, placed[i].early, placed[i].effect, 0, 0}});
    list_of[i] = it->second;
    ++keys[it->second].list.end;  // counts for now
  }
  std::vector<uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return keys[a].group < keys[b].group; });
  result.lists.reserve(keys.size());
  std::vector<uint32_t> fill(keys.size());
  uint32_t at = 0;
  for (const uint32_t key : order) {
    Group& group = result.groups[keys[key].group];
    const uint32_t number = static_cast<uint32_t>(result.lists.size());
    if (group.begin == group.end) group.begin = number;
    group.end = number + 1;
    List list = keys[key].list;
    list.begin = fill[key] = at;
    at += list.end;
    list.end = at;
    result.lists.push_back(list);
  }
  result.entries.resize(placed.size());
  for (size_t i = 0; i < placed.size(); ++i) result.entries[fill[list_of[i]]++] = placed[i].entry;
  return result;
}

void overlapping_groups(const Groups& a, const Groups& b,
                        const std::function<void(size_t, size_t)>& visit) {
  const bool same = &a == &b;
  std::vector<size_t> active_a, active_b;
  const auto expire = [](std::vector<size_t>* active, const Groups& groups, uint64_t begin) {
    std::erase_if(*active, [&](size_t i) { return groups.groups[i].range.end <= begin; });
  };
  size_t i = 0, j = 0;
  while (i < a.groups.size() || (!same && j < b.groups.size())) {
    const bool take_a = same || j == b.groups.size() ||
                        (i < a.groups.size() && a.groups[i].range.begin <= b.groups[j].range.begin);
    const uint64_t begin = take_a ? a.groups[i].range.begin : b.groups[j].range.begin;
    if (take_a) {
      std::vector<size_t>& others = same ? active_a : active_b;
      expire(&others, b, begin);
      active_a.push_back(i);
      for (const size_t other : others) visit(same ? other : i, same ? i : other);
      ++i;
    } else {
      expire(&active_a, a, begin);
      for (const size_t other : active_a) visit(other, j);
      active_b.push_back(j);
      ++j;
    }
  }
}

}  // namespace bohr::check

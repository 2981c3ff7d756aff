// SPDX-License-Identifier: Apache-2.0
// Pairs by a hash of the two places without their launches.
#include "check/pair_table.h"

#include <algorithm>
#include <tuple>

namespace bohr::check {

namespace {

// Enough to see every cause of a very racy program; a reader has given up long before.
constexpr int64_t kListedInAll = 50000;

// Place in issue order: the op that was issued outside graphs, then the node within its launch.
std::pair<int32_t, int32_t> issued(const Place& place) {
  if (!place.graph.valid()) return {place.index, -1};
  return {place.launch.valid() ? place.launch.value() : -1, place.index};
}

bool same_conflict(const Conflict& a, const Conflict& b) {
  return a.first == b.first && a.second == b.second;
}

}  // namespace

size_t PairTable::KeyHash::operator()(const Key& key) const noexcept {
  const auto mix = [](uint64_t h, int32_t v) {
    h ^= static_cast<uint32_t>(v);
    h *= 0x9e3779b97f4a7c15ULL;
    return h ^ (h >> 31);
  };
  const uint64_t graphs = mix(mix(key.launched, key.graph_a), key.graph_b);
  return static_cast<size_t>(mix(mix(graphs, key.index_a), key.index_b));
}

void PairTable::add(Place a, int32_t access_a, Place b, int32_t access_b) {
  if (issued(b) < issued(a)) {
    std::swap(a, b);
    std::swap(access_a, access_b);
  }
  const Key key{a.graph.value(), a.index, b.graph.value(), b.index, a.launch.valid()};
  const auto [it, added] = known_.emplace(key, pairs_.size());
  if (added) pairs_.push_back({a, b, {}, 0});
  last_ = it->second;
  Pair& pair = pairs_[last_];
  if (std::tuple(issued(b), issued(a)) < std::tuple(issued(pair.second), issued(pair.first))) {
    pair.first = a;
    pair.second = b;
  }
  const Conflict conflict{access_a, access_b};
  const bool listed = std::any_of(pair.conflicts.begin(), pair.conflicts.end(),
                                  [&](const Conflict& c) { return same_conflict(c, conflict); });
  if (!listed) pair.conflicts.push_back(conflict);
}

void PairTable::add_unlisted(int64_t count) {
  if (!pairs_.empty()) pairs_[last_].unlisted += count;
}

int64_t PairTable::allowance(int64_t limit) const {
  const int64_t left = kListedInAll - static_cast<int64_t>(pairs_.size());
  return std::max<int64_t>(1, std::min(limit, left));
}

std::vector<Pair> PairTable::take() {
  std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& x, const Pair& y) {
    return std::tuple(issued(x.second), x.second.graph, issued(x.first), x.first.graph) <
           std::tuple(issued(y.second), y.second.graph, issued(y.first), y.first.graph);
  });
  return std::move(pairs_);
}

}  // namespace bohr::check

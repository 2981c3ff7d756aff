// SPDX-License-Identifier: Apache-2.0
// Pairs that an edge orders are bits, so that what is left is a few words.
#include "fix/edges.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace bohr::fix {

namespace {

constexpr size_t kAllEnds = 400;      // places up to which every one may be an end
constexpr size_t kMostSides = 300;    // sides of each kind that are combined; beyond, pairs alone
constexpr size_t kMostSearched = 24;  // edges that fewer are looked for of
constexpr int64_t kSearch = 50'000;   // edges tried in the search for fewer

using Bits = std::vector<bool>;  // by pair

struct Candidate {
  Ordered edge;
  std::vector<size_t> orders;  // pairs
};

bool orders(const Ordered& edge, const Ordered& pair, const Places& places) {
  return (pair.first == edge.first || places.before(pair.first, edge.first)) &&
         (pair.second == edge.second || places.before(edge.second, pair.second));
}

std::set<Ordered> possible_edges(const std::vector<Ordered>& pairs, const Places& places) {
  std::set<int32_t> firsts, seconds;
  for (const Ordered& pair : pairs) firsts.insert(pair.first), seconds.insert(pair.second);
  if (places.all.size() <= kAllEnds) {
    firsts.insert(places.all.begin(), places.all.end());
    seconds.insert(places.all.begin(), places.all.end());
  }
  std::set<Ordered> edges(pairs.begin(), pairs.end());
  if (firsts.size() > kMostSides || seconds.size() > kMostSides) return edges;
  for (const int32_t a : firsts)
    for (const int32_t b : seconds)
      if (a != b && places.place(a) < places.place(b) && !places.before(a, b)) edges.insert({a, b});
  return edges;
}

// Of edges that order the same pairs the one with most room is enough.
std::vector<Candidate> candidates_of(const std::vector<Ordered>& pairs, const Places& places) {
  const auto room = [&](const Ordered& edge) {
    return places.place(edge.second) - places.place(edge.first);
  };
  std::map<std::vector<size_t>, Ordered> best;
  for (const Ordered& edge : possible_edges(pairs, places)) {
    std::vector<size_t> ordered;
    for (size_t p = 0; p < pairs.size(); ++p)
      if (orders(edge, pairs[p], places)) ordered.push_back(p);
    if (ordered.empty()) continue;
    const auto [at, added] = best.try_emplace(std::move(ordered), edge);
    if (!added && room(edge) > room(at->second)) at->second = edge;
  }
  std::vector<Candidate> candidates;
  candidates.reserve(best.size());
  for (const auto& [ordered, edge] : best) candidates.push_back({edge, ordered});
  std::stable_sort(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    return std::pair(a.orders.size(), room(a.edge)) > std::pair(b.orders.size(), room(b.edge));
  });
  return candidates;
}

// Pairs that few edges order first: a search that begins with them branches least.
std::vector<Ordered> hardest_first(const std::vector<Ordered>& pairs,
                                   const std::vector<Candidate>& candidates) {
  std::vector<int64_t> ways(pairs.size(), 0);
  for (const Candidate& candidate : candidates)
    for (const size_t p : candidate.orders) ++ways[p];
  std::vector<size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return ways[a] < ways[b]; });
  std::vector<Ordered> sorted;
  sorted.reserve(pairs.size());
  for (const size_t p : order) sorted.push_back(pairs[p]);
  return sorted;
}

// All possible edges, those that by themselves order most pairs first.
std::vector<Ordered> most_useful_first(const std::vector<Ordered>& pairs, const Places& places) {
  std::vector<std::pair<int64_t, Ordered>> edges;
  for (const Ordered& edge : possible_edges(pairs, places)) {
    const int64_t use = std::count_if(pairs.begin(), pairs.end(), [&](const Ordered& pair) {
      return orders(edge, pair, places);
    });
    edges.push_back({-use, edge});
  }
  std::sort(edges.begin(), edges.end());
  std::vector<Ordered> list;
  list.reserve(edges.size());
  for (const auto& [use, edge] : edges) list.push_back(edge);
  return list;
}

std::vector<size_t> greedy_cover(const std::vector<Candidate>& candidates, size_t pairs) {
  Bits done(pairs, false);
  std::vector<size_t> taken;
  for (size_t left = pairs; left > 0;) {
    size_t best = 0;
    int64_t most = 0;
    for (size_t c = 0; c < candidates.size(); ++c) {
      const int64_t fresh = std::count_if(candidates[c].orders.begin(), candidates[c].orders.end(),
                                          [&](size_t p) { return !done[p]; });
      if (fresh > most) best = c, most = fresh;
    }
    taken.push_back(best);
    for (const size_t p : candidates[best].orders) {
      left -= done[p] ? 0 : 1;
      done[p] = true;
    }
  }
  return taken;
}

// Edges under choice, and what they order, one after the other where need be.
class Chosen {
 public:
  Chosen(const std::vector<Ordered>& pairs, const Places& places)
      : pairs_(pairs), places_(places) {}

  std::vector<Ordered> edges;

  // Places that come behind `from` by the order and these edges: itself, and where edges end.
  std::vector<int32_t> reached_from(int32_t from) const {
    std::vector<bool> taken(edges.size(), false);
    std::vector<int32_t> reached = {from};
    for (size_t next = 0; next < reached.size(); ++next) {
      for (size_t e = 0; e < edges.size(); ++e) {
        if (taken[e] || !up_to(reached[next], edges[e].first)) continue;
        taken[e] = true;
        reached.push_back(edges[e].second);
      }
    }
    return reached;
  }
  // The first pair that is left; null: none is.
  const Ordered* left() const {
    for (const Ordered& pair : pairs_) {
      const std::vector<int32_t> reached = reached_from(pair.first);
      const bool ordered = std::any_of(reached.begin() + 1, reached.end(),
                                       [&](int32_t at) { return up_to(at, pair.second); });
      if (!ordered) return &pair;
    }
    return nullptr;
  }
  bool up_to(int32_t a, int32_t b) const { return a == b || places_.before(a, b); }

 private:
  const std::vector<Ordered>& pairs_;
  const Places& places_;
};

// At most `most` edges that order all pairs.
class Search {
 public:
  Search(const std::vector<Ordered>& pairs, const Places& places, std::vector<Ordered> possible)
      : places_(places), possible_(std::move(possible)), chosen_(pairs, places) {}

  bool find(size_t most) {
    const Ordered* pair = chosen_.left();
    if (pair == nullptr) return true;
    if (most == 0) return false;
    // The way from one side to the other goes over a new edge; the first such begins where the
    // others lead.
    const std::vector<int32_t> reached = chosen_.reached_from(pair->first);
    for (const Ordered& edge : possible_) {
      if (places_.place(edge.second) > places_.place(pair->second)) continue;
      const bool begins_there = std::any_of(reached.begin(), reached.end(), [&](int32_t at) {
        return chosen_.up_to(at, edge.first);
      });
      if (!begins_there || (most == 1 && !chosen_.up_to(edge.second, pair->second))) continue;
      if (--work_ < 0) return false;
      chosen_.edges.push_back(edge);
      if (find(most - 1)) return true;
      chosen_.edges.pop_back();
    }
    return false;
  }
  const std::vector<Ordered>& edges() const { return chosen_.edges; }

 private:
  const Places& places_;
  std::vector<Ordered> possible_;
  Chosen chosen_;
  int64_t work_ = kSearch;
};

// Without those that the others make superfluous.
std::vector<Ordered> needed(std::vector<Ordered> edges, const std::vector<Ordered>& pairs,
                            const Places& places) {
  for (size_t i = edges.size(); i-- > 0;) {
    Chosen fewer(pairs, places);
    fewer.edges = edges;
    fewer.edges.erase(fewer.edges.begin() + static_cast<ptrdiff_t>(i));
    if (fewer.left() == nullptr) edges = std::move(fewer.edges);
  }
  return edges;
}

}  // namespace

std::vector<Ordered> covering_edges(const std::vector<Ordered>& pairs, const Places& places) {
  const std::vector<Candidate> candidates = candidates_of(pairs, places);
  std::vector<Ordered> edges;
  for (const size_t c : greedy_cover(candidates, pairs.size())) edges.push_back(candidates[c].edge);
  if (edges.size() > kMostSearched) return edges;
  edges = needed(std::move(edges), pairs, places);
  // Those that order something by themselves are few, so that search goes deep; links between them
  // are in the other one.
  std::vector<Ordered> by_themselves;
  by_themselves.reserve(candidates.size());
  for (const Candidate& one : candidates) by_themselves.push_back(one.edge);
  const std::vector<Ordered> hard = hardest_first(pairs, candidates);
  for (const auto& possible : {by_themselves, most_useful_first(pairs, places)}) {
    while (edges.size() > 1) {
      Search search(hard, places, possible);
      if (!search.find(edges.size() - 1)) break;
      edges = needed(search.edges(), pairs, places);
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

}  // namespace bohr::fix

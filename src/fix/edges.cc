// SPDX-License-Identifier: Apache-2.0
#include "fix/edges.h"

#include <algorithm>
#include <set>

namespace bohr::fix {

namespace {

constexpr size_t kMostSides = 200;  // of each kind that are combined; beyond, pairs alone

using Before = std::function<bool(int32_t, int32_t)>;

bool orders(const Ordered& edge, const Ordered& pair, const Before& before) {
  return (pair.first == edge.first || before(pair.first, edge.first)) &&
         (pair.second == edge.second || before(edge.second, pair.second));
}

std::vector<Ordered> candidates_of(const std::vector<Ordered>& pairs, const Before& before,
                                   const std::function<int64_t(int32_t)>& place) {
  std::set<int32_t> firsts, seconds;
  for (const Ordered& pair : pairs) firsts.insert(pair.first), seconds.insert(pair.second);
  std::set<Ordered> candidates(pairs.begin(), pairs.end());
  if (firsts.size() <= kMostSides && seconds.size() <= kMostSides)
    for (const int32_t a : firsts)
      for (const int32_t b : seconds)
        if (a != b && place(a) < place(b) && !before(a, b)) candidates.insert({a, b});
  return {candidates.begin(), candidates.end()};
}

std::vector<std::vector<size_t>> covers(const std::vector<Ordered>& candidates,
                                        const std::vector<Ordered>& pairs, const Before& before) {
  std::vector<std::vector<size_t>> covered(candidates.size());
  for (size_t c = 0; c < candidates.size(); ++c)
    for (size_t p = 0; p < pairs.size(); ++p)
      if (orders(candidates[c], pairs[p], before)) covered[c].push_back(p);
  return covered;
}

}  // namespace

std::vector<Ordered> covering_edges(const std::vector<Ordered>& pairs, const Before& before,
                                    const std::function<int64_t(int32_t)>& place) {
  const std::vector<Ordered> candidates = candidates_of(pairs, before, place);
  const std::vector<std::vector<size_t>> covered = covers(candidates, pairs, before);
  std::vector<int32_t> times(pairs.size(), 0);  // that a pair is covered
  std::vector<size_t> taken;
  for (size_t left = pairs.size(); left > 0;) {
    size_t best = 0;
    std::pair<int64_t, int64_t> best_worth{-1, 0};
    for (size_t c = 0; c < candidates.size(); ++c) {
      const auto fresh = std::count_if(covered[c].begin(), covered[c].end(),
                                       [&](size_t p) { return times[p] == 0; });
      const std::pair<int64_t, int64_t> worth{
          fresh, place(candidates[c].second) - place(candidates[c].first)};
      if (worth > best_worth) best = c, best_worth = worth;
    }
    taken.push_back(best);
    for (const size_t p : covered[best]) left -= times[p]++ == 0;
  }
  std::vector<Ordered> edges;
  for (const size_t c : taken) {
    const bool needed =
        std::any_of(covered[c].begin(), covered[c].end(), [&](size_t p) { return times[p] == 1; });
    if (needed)
      edges.push_back(candidates[c]);
    else
      for (const size_t p : covered[c]) --times[p];
  }
  return edges;
}

}  // namespace bohr::fix

// SPDX-License-Identifier: Apache-2.0
// Covering edges: what they order, and that none fewer would do, against every set of edges of
// random small orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "base/random.h"
#include "fix/edges.h"

namespace bohr::test {
namespace {

using fix::Ordered;
using Relation = std::vector<std::vector<bool>>;

// Chains of a few places each with some waits between them, places by number in a legal order.
Relation random_order(Random& random, int32_t places, int32_t chains) {
  Relation before(static_cast<size_t>(places), std::vector<bool>(static_cast<size_t>(places)));
  std::vector<int32_t> last(static_cast<size_t>(chains), -1);
  for (int32_t b = 0; b < places; ++b) {
    const auto chain = static_cast<size_t>(random.next() % static_cast<uint64_t>(chains));
    const auto follow = [&](int32_t a) {
      if (a < 0) return;
      before[static_cast<size_t>(a)][static_cast<size_t>(b)] = true;
      for (int32_t x = 0; x < a; ++x)
        if (before[static_cast<size_t>(x)][static_cast<size_t>(a)])
          before[static_cast<size_t>(x)][static_cast<size_t>(b)] = true;
    };
    follow(last[chain]);
    if (b > 0 && random.next() % 4 == 0)
      follow(static_cast<int32_t>(random.next() % static_cast<uint64_t>(b)));
    last[chain] = b;
  }
  return before;
}

struct Setting {
  std::vector<int32_t> all;
  fix::Places places;
  explicit Setting(const Relation& before) {
    all.resize(before.size());
    std::iota(all.begin(), all.end(), 0);
    places.all = all;
    places.before = [&before](int32_t a, int32_t b) {
      return before[static_cast<size_t>(a)][static_cast<size_t>(b)];
    };
    places.place = [](int32_t at) { return int64_t{at}; };
  }
};

// By the closure of the order and the edges.
bool closed_over(const std::vector<Ordered>& pairs, const std::vector<Ordered>& edges,
                 Relation before) {
  const size_t n = before.size();
  for (const auto& [a, b] : edges) {
    if (before[static_cast<size_t>(a)][static_cast<size_t>(b)]) continue;
    for (size_t x = 0; x < n; ++x) {
      if (x != static_cast<size_t>(a) && !before[x][static_cast<size_t>(a)]) continue;
      for (size_t y = 0; y < n; ++y)
        if (y == static_cast<size_t>(b) || before[static_cast<size_t>(b)][y]) before[x][y] = true;
    }
  }
  return std::all_of(pairs.begin(), pairs.end(), [&](const Ordered& pair) {
    return before[static_cast<size_t>(pair.first)][static_cast<size_t>(pair.second)];
  });
}

// Whether some `count` forward edges order all pairs.
bool enough(size_t count, const std::vector<Ordered>& pairs, const Relation& before,
            std::vector<Ordered>* taken) {
  if (closed_over(pairs, *taken, before)) return true;
  if (count == 0) return false;
  const auto places = static_cast<int32_t>(before.size());
  for (int32_t a = 0; a < places; ++a) {
    for (int32_t b = a + 1; b < places; ++b) {
      taken->push_back({a, b});
      const bool found = enough(count - 1, pairs, before, taken);
      taken->pop_back();
      if (found) return true;
    }
  }
  return false;
}

TEST(FixEdges, AreAsFewAsAnySetOfForwardEdges) {
  Random random(7);
  int64_t several = 0;
  for (int round = 0; round < 100; ++round) {
    const Relation before = random_order(random, 7, 3);
    std::vector<Ordered> pairs;
    for (int32_t a = 0; a < 7; ++a)
      for (int32_t b = a + 1; b < 7; ++b)
        if (!before[static_cast<size_t>(a)][static_cast<size_t>(b)] && random.next() % 3 == 0)
          pairs.push_back({a, b});
    if (pairs.empty()) continue;
    const Setting setting(before);
    const std::vector<Ordered> edges = fix::covering_edges(pairs, setting.places);
    ASSERT_TRUE(closed_over(pairs, edges, before)) << "round " << round;
    std::vector<Ordered> none;
    ASSERT_FALSE(enough(edges.size() - 1, pairs, before, &none)) << "round " << round;
    several += edges.size() > 1;
  }
  EXPECT_GT(several, 20) << "rounds that say something";
}

TEST(FixEdges, OneEdgeFromTheJoinDoesForTwo) {
  // 0 and 1 are joined by 2; 3 is unordered with all of them.
  Relation before(4, std::vector<bool>(4));
  before[0][2] = before[1][2] = true;
  const Setting setting(before);
  EXPECT_EQ(fix::covering_edges({{0, 3}, {1, 3}}, setting.places), (std::vector<Ordered>{{2, 3}}));
}

TEST(FixEdges, ALoneSideIsNotMadeToWaitForMore) {
  // 0 before 1; 2 is unordered with both and races with 0 alone.
  Relation before(3, std::vector<bool>(3));
  before[0][1] = true;
  const Setting setting(before);
  EXPECT_EQ(fix::covering_edges({{0, 2}}, setting.places), (std::vector<Ordered>{{0, 2}}));
}

struct Planted {
  Relation right;   // with all waits
  Relation before;  // without those that were left out
};

// Places on chains, waits between neighbouring chains, and some of them left out.
Planted planted(Random& random, int32_t places, int32_t chains, int32_t left_out) {
  std::vector<std::pair<int32_t, int32_t>> waits;
  for (int32_t i = 0; i < places / 3; ++i) {
    const auto a = static_cast<int32_t>(random.next() % static_cast<uint64_t>(places - 1));
    const auto b =
        a + 1 + static_cast<int32_t>(random.next() % static_cast<uint64_t>(places - a - 1));
    waits.push_back({a, b});
  }
  std::vector<int32_t> chain_of;
  for (int32_t i = 0; i < places; ++i)
    chain_of.push_back(static_cast<int32_t>(random.next() % static_cast<uint64_t>(chains)));
  const auto closure = [&](size_t from) {
    const auto n = static_cast<size_t>(places);
    Relation before(n, std::vector<bool>(n));
    std::vector<int32_t> last(static_cast<size_t>(chains), -1);
    for (size_t b = 0; b < n; ++b) {
      const auto follow = [&](size_t a) {
        before[a][b] = true;
        for (size_t x = 0; x < a; ++x) before[x][b] = before[x][b] || before[x][a];
      };
      int32_t& previous = last[static_cast<size_t>(chain_of[b])];
      if (previous >= 0) follow(static_cast<size_t>(previous));
      for (size_t w = from; w < waits.size(); ++w)
        if (static_cast<size_t>(waits[w].second) == b) follow(static_cast<size_t>(waits[w].first));
      previous = static_cast<int32_t>(b);
    }
    return before;
  };
  return {closure(0), closure(static_cast<size_t>(left_out))};
}

TEST(FixEdges, AreAboutAsManyAsTheWaitsThatWereLeftOut) {
  Random random(11);
  int64_t edges = 0, waits = 0, graphs = 0;
  for (int round = 0; graphs < 1000; ++round) {
    const auto places = static_cast<int32_t>(12 + random.next() % 140);
    const auto left_out = static_cast<int32_t>(1 + random.next() % 4);
    const Planted one =
        planted(random, places, static_cast<int32_t>(2 + random.next() % 5), left_out);
    std::vector<Ordered> pairs;
    for (int32_t a = 0; a < places; ++a)
      for (int32_t b = a + 1; b < places; ++b)
        if (one.right[static_cast<size_t>(a)][static_cast<size_t>(b)] &&
            !one.before[static_cast<size_t>(a)][static_cast<size_t>(b)] && random.next() % 8 == 0)
          pairs.push_back({a, b});
    if (pairs.empty()) continue;
    const Setting setting(one.before);
    const std::vector<Ordered> found = fix::covering_edges(pairs, setting.places);
    ASSERT_TRUE(closed_over(pairs, found, one.before)) << "round " << round;
    EXPECT_LE(static_cast<double>(found.size()), std::max(1.2 * left_out, left_out + 0.0))
        << "round " << round << ", " << places << " places";
    edges += static_cast<int64_t>(found.size()), waits += left_out, ++graphs;
  }
  std::printf("%lld graphs, %lld waits left out, %lld edges\n", static_cast<long long>(graphs),
              static_cast<long long>(waits), static_cast<long long>(edges));
}

}  // namespace
}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
// The fewest chains against the largest antichain, found by trying all sets (Dilworth says that the
// two numbers are one), on small random orders; and that graphs and programs get such covers.
#include "order/chain_cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/random.h"
#include "exhaustive/random_case.h"
#include "order/graph_order.h"
#include "order/step_order.h"
#include "trace/case_reader.h"

namespace bohr::naive {
namespace {

using Matrix = std::vector<std::vector<bool>>;

Matrix random_order(Random* random, size_t count) {
  Matrix before(count, std::vector<bool>(count));
  const uint64_t density = 1 + random->below(9);
  for (size_t a = 0; a < count; ++a)
    for (size_t b = a + 1; b < count; ++b) before[a][b] = random->below(10) < density;
  for (size_t m = 0; m < count; ++m)
    for (size_t a = 0; a < count; ++a)
      for (size_t b = 0; b < count; ++b)
        if (before[a][m] && before[m][b]) before[a][b] = true;
  return before;
}

int32_t largest_antichain(const Matrix& before) {
  const size_t count = before.size();
  int32_t largest = 0;
  for (uint32_t set = 0; set < (1u << count); ++set) {
    bool apart = true;
    for (size_t a = 0; a < count && apart; ++a)
      for (size_t b = 0; b < count && apart; ++b)
        apart = !((set >> a & 1) && (set >> b & 1) && before[a][b]);
    if (apart) largest = std::max(largest, std::popcount(set));
  }
  return largest;
}

TEST(ChainCover, HasAsManyChainsAsTheLargestAntichainHasElements) {
  Random random(3);
  for (int round = 0; round < 3000; ++round) {
    const size_t count = random.below(11);
    const Matrix before = random_order(&random, count);
    // Elements come in any order.
    std::vector<size_t> name(count);
    for (size_t i = 0; i < count; ++i) name[i] = i;
    for (size_t i = count; i > 1; --i) std::swap(name[i - 1], name[random.below(i)]);
    const auto ordered = [&](int32_t a, int32_t b) {
      return static_cast<bool>(before[name[static_cast<size_t>(a)]][name[static_cast<size_t>(b)]]);
    };
    const std::vector<int32_t> chain = order::fewest_chains(static_cast<int32_t>(count), ordered);
    ASSERT_EQ(chain.size(), count);
    for (size_t a = 0; a < count; ++a)
      for (size_t b = 0; b < a; ++b)
        if (chain[a] == chain[b]) {
          ASSERT_TRUE(ordered(static_cast<int32_t>(a), static_cast<int32_t>(b)) ||
                      ordered(static_cast<int32_t>(b), static_cast<int32_t>(a)));
        }
    const int32_t chains = chain.empty() ? 0 : *std::max_element(chain.begin(), chain.end()) + 1;
    EXPECT_EQ(chains, largest_antichain(before));
  }
}

// Nodes of no stream: the smallest cover of all of them.
TEST(ChainCover, OfAGraphWithoutStreamsIsTheSmallest) {
  Random random(4);
  for (int round = 0; round < 500; ++round) {
    const size_t count = 1 + random.below(10);
    Graph graph;
    graph.nodes.resize(count);
    Matrix before(count, std::vector<bool>(count));
    for (size_t a = 0; a < count; ++a)
      for (size_t b = a + 1; b < count; ++b)
        if (random.below(4) == 0) {
          graph.edges.push_back({NodeId(a), NodeId(b), EdgeKind::full});
          before[a][b] = true;
        }
    for (size_t m = 0; m < count; ++m)
      for (size_t a = 0; a < count; ++a)
        for (size_t b = 0; b < count; ++b)
          if (before[a][m] && before[m][b]) before[a][b] = true;
    const order::GraphOrder found = order::graph_order(graph).value();
    EXPECT_EQ(found.chains, largest_antichain(before));
    for (size_t a = 0; a < count; ++a)
      for (size_t b = 0; b < count; ++b)
        EXPECT_EQ(found.before(NodeId(a), NodeId(b)), before[a][b]);
  }
}

// Steps on one chain are ordered, positions count up from 1, and each step is on one.
TEST(ChainCover, OfProgramsAreChains) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    const auto program = trace::read_case(join_lines(random_case(seed, 10 + seed % 60)), "random");
    ASSERT_TRUE(program.ok());
    const order::StepOrder order = order::step_order(program.value(), false).value();
    std::vector<std::vector<std::pair<order::Position, int32_t>>> chains(
        static_cast<size_t>(order.chains));
    for (size_t i = 0; i < order.size(); ++i)
      chains[static_cast<size_t>(order.chain[i])].push_back(
          {order.clocks.position(order.clock_step[i]), static_cast<int32_t>(i)});
    for (auto& chain : chains) {
      EXPECT_FALSE(chain.empty());
      std::sort(chain.begin(), chain.end());
      for (size_t i = 0; i < chain.size(); ++i) {
        EXPECT_EQ(chain[i].first, i + 1);
        if (i > 0) {
          EXPECT_TRUE(order.before(chain[i - 1].second, chain[i].second)) << "seed " << seed;
        }
      }
    }
  }
}

// Two side streams one after the other need no chain each; greedily the second one starts its own.
TEST(ChainCover, LinksStreamsThatFollowOneAnother) {
  std::string text = "case 1\nstream main\nbuffer x 64\n";
  for (int i = 0; i < 5; ++i) text += "stream side" + std::to_string(i) + "\n";
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i), side = "side" + n;
    text += "main: record fork" + n + "\n" + side + ": wait fork" + n + "\n" + side + ": kernel s" +
            n + " reads x\nmain: kernel m" + n + " reads x\n" + side + ": record join" + n +
            "\nmain: wait join" + n + "\n";
  }
  const auto program = trace::read_case(text, "forks");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_EQ(order::step_order(program.value(), false).value().chains, 2);
}

TEST(ChainCover, IsLeftToGreedWhereThereAreTooManyElements) {
  order::Clocks clocks;
  std::vector<std::vector<int32_t>> streams(1);
  for (size_t i = 0; i <= order::kMostElements; ++i) {
    streams[0].push_back(clocks.add(static_cast<int32_t>(i), 1, {}));
  }
  const auto chains = static_cast<int32_t>(streams[0].size());
  EXPECT_TRUE(
      order::smaller_cover(clocks, chains + 1, streams, order::Streams::stay_apart).empty());
  streams[0].pop_back();
  const auto cover = order::smaller_cover(clocks, chains + 1, streams, order::Streams::stay_apart);
  EXPECT_EQ(std::set<int32_t>(cover.begin(), cover.end()).size(), order::kMostElements + 1)
      << "a chain each, and -1 for the step that no stream has";
}

}  // namespace
}  // namespace bohr::naive

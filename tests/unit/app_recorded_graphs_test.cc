// SPDX-License-Identifier: Apache-2.0
// Numbers of nodes and the driver's own graphs: child graphs follow the graph that holds them.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "app/recorded_graphs.h"

namespace bohr::app {
namespace {

// Graph 1: three nodes, 0 and 2 of them child graphs. Graph 2, in node 0: two nodes, of which 1 is
// graph 3 with one node. Graph 4, in node 2: two nodes. So 1 has numbers 0 to 2, 2 has 3 and 4,
// 3 has 5, and 4 has 6 and 7.
class RecordedGraphsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    graph(1, 0, 0, {2, 0, 4});
    graph(2, 1, 0, {0, 3});
    graph(3, 2, 1, {0});
    graph(4, 1, 2, {0, 0});
  }
  // `children`: of each node its graph, 0 for a kernel.
  void graph(uint32_t number, uint32_t parent, uint32_t parent_node,
             const std::vector<uint32_t>& children) {
    trace::Graph head;
    head.graph = number, head.parent = parent, head.parent_node = parent_node;
    head.nodes = static_cast<uint32_t>(children.size());
    log_.records.emplace_back(head);
    for (uint32_t i = 0; i < children.size(); ++i) {
      trace::Node node;
      node.graph = number, node.index = i, node.child = children[i];
      node.type = children[i] == 0 ? 0 : 4;
      node.grid_x = 10 * number + i;
      log_.records.emplace_back(node);
    }
  }
  std::vector<Level> levels(uint32_t number = 1) {
    recorded_.emplace(log_);
    return levels_of(*recorded_, number);
  }

  trace::Log log_;
  std::optional<RecordedGraphs> recorded_;
};

TEST_F(RecordedGraphsTest, EachNumberIsANodeOfOneLevel) {
  const std::vector<Level> all = levels();
  ASSERT_EQ(all.size(), 4);
  std::vector<uint32_t> marks;
  for (int32_t number = 0; number < 8; ++number) {
    const auto at = find_node(all, number);
    ASSERT_TRUE(at) << number;
    EXPECT_EQ(number_of(all, *at), number);
    marks.push_back(all[static_cast<size_t>(at->level)].graph->nodes[at->node].grid_x);
  }
  EXPECT_EQ(marks, (std::vector<uint32_t>{10, 11, 12, 20, 21, 30, 40, 41}));
  EXPECT_FALSE(find_node(all, 8));
  EXPECT_FALSE(find_node(all, -1));
}

TEST_F(RecordedGraphsTest, TwoNodesMeetInTheSmallestGraphThatHoldsBoth) {
  const std::vector<Level> all = levels();
  const auto pair = [&](int32_t a, int32_t b) {
    return in_one_graph(all, *find_node(all, a), *find_node(all, b));
  };
  const auto edge = [&](int32_t a, int32_t b) {
    const LevelPair found = pair(a, b);
    return std::tuple(found.level, found.first.node, found.second.node);
  };
  EXPECT_EQ(edge(6, 7), std::tuple(3, 0u, 1u));  // both in graph 4
  EXPECT_EQ(edge(3, 5), std::tuple(1, 0u, 1u));  // graph 3 waits whole, in graph 2
  EXPECT_EQ(edge(5, 7), std::tuple(0, 0u, 2u));
  EXPECT_EQ(edge(1, 6), std::tuple(0, 1u, 2u));
  EXPECT_EQ(pair(5, 7).first.inside, (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(pair(1, 6).first.inside, std::vector<uint32_t>());
}

TEST_F(RecordedGraphsTest, TheWayInsideLeadsToTheNode) {
  const std::vector<Level> all = levels();
  const LevelPair pair = in_one_graph(all, *find_node(all, 5), *find_node(all, 7));
  const auto at = find_node(all, pair.level, pair.first);
  ASSERT_TRUE(at);
  EXPECT_EQ(number_of(all, *at), 5);
  const patch::GraphView view = recorded_->view(*all[0].graph);
  const trace::Node* node = patch::node_of(view, pair.first.node, pair.first.inside);
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->grid_x, 30u);
  EXPECT_FALSE(find_node(all, 0, {1, {0}}));
  EXPECT_EQ(patch::node_of(view, 0, std::vector<uint32_t>{0, 0}), nullptr);
  EXPECT_EQ(patch::node_of(view, 9, {}), nullptr);
}

// Whoever wrote the log, reading it ends, and every node that is found is there.
TEST_F(RecordedGraphsTest, DamagedLogsHaveLevelsToo) {
  graph(5, 5, 0, {5, 0});  // holds itself
  graph(5, 5, 0, {5, 0});  // and is there twice
  graph(10, 10, 0, {10});
  graph(10, 10, 0, {10});
  std::get<trace::Graph>(log_.records[log_.records.size() - 2]).nodes = 0;
  trace::Node stray;  // a child of a node that the graph does not have
  stray.graph = 6, stray.index = 1000, stray.child = 7, stray.type = 4;
  trace::Graph six;
  six.graph = 6, six.nodes = 1;
  log_.records.emplace_back(six);
  log_.records.emplace_back(stray);
  graph(7, 6, 1000, {0});
  for (const auto& [version, base] : {std::pair(8u, 9u), std::pair(9u, 8u)}) {
    trace::GraphVersion record;
    record.graph = version, record.base = base;
    log_.records.emplace_back(record);
  }
  EXPECT_GE(levels(5).size(), 1);
  EXPECT_EQ(levels(6).size(), 1);
  EXPECT_TRUE(levels(8).empty());
  for (uint32_t number = 1; number < 11; ++number) {
    const std::vector<Level> all = levels(number);
    for (int32_t node = 0; node < 100; ++node)
      if (const auto at = find_node(all, node)) {
        EXPECT_LT(at->node, all[static_cast<size_t>(at->level)].graph->nodes.size());
      }
  }
}

}  // namespace
}  // namespace bohr::app

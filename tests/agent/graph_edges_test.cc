// SPDX-License-Identifier: Apache-2.0
// Edges go into a graph all together or not at all, against a driver that keeps a list and refuses
// when it is told to.
#include "agent/graph_edges.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace bohr::agent {
namespace {

constexpr uint64_t kProgrammatic = 1 | 1 << 8;  // type, and the port it leaves by

using Key = std::pair<CUgraphNode, CUgraphNode>;
std::map<Key, uint64_t> driver_has;
int accepts = 0;  // edges, before one is refused

uint64_t word_of(const CUgraphEdgeData* data) {
  return data ? data->type | uint64_t{data->from_port} << 8 | uint64_t{data->to_port} << 16 : 0;
}

CUresult add(CUgraph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* data,
             size_t) {
  // Two nodes have one edge at most.
  if (accepts-- <= 0 || driver_has.contains({*from, *to})) return CUDA_ERROR_INVALID_VALUE;
  driver_has[{*from, *to}] = word_of(data);
  return CUDA_SUCCESS;
}

CUresult take(CUgraph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* data,
              size_t) {
  const auto found = driver_has.find({*from, *to});
  if (found == driver_has.end() || found->second != word_of(data)) return CUDA_ERROR_INVALID_VALUE;
  driver_has.erase(found);
  return CUDA_SUCCESS;
}

class GraphEdges : public testing::Test {
 protected:
  GraphEdges() {
    driver_.cuGraphAddDependencies_v2 = add;
    driver_.cuGraphRemoveDependencies_v2 = take;
    for (uintptr_t node = 1; node <= 4; ++node)
      handles_.push_back(reinterpret_cast<CUgraphNode>(node));
    edges_.from = {0, 1}, edges_.to = {1, 2}, edges_.types = {0, kProgrammatic};
    driver_has = as_driver(edges_);
  }

  std::map<Key, uint64_t> as_driver(const trace::Edges& edges) const {
    std::map<Key, uint64_t> all;
    for (size_t i = 0; i < edges.from.size(); ++i)
      all[{handles_[edges.from[i]], handles_[edges.to[i]]}] = edges.types[i];
    return all;
  }
  bool add_these(const std::vector<patch::NewEdge>& wanted, int accepted) {
    accepts = accepted;
    return add_edges(driver_, nullptr, handles_, wanted, &edges_);
  }

  Driver driver_;
  std::vector<CUgraphNode> handles_;
  trace::Edges edges_;
};

TEST_F(GraphEdges, GoIn) {
  EXPECT_TRUE(add_these({{0, 3}, {2, 3}}, 2));
  EXPECT_EQ(driver_has.size(), 4u);
  EXPECT_EQ(driver_has, as_driver(edges_));
}

TEST_F(GraphEdges, AProgrammaticOneBecomesFull) {
  EXPECT_TRUE(add_these({{1, 2}}, 1));
  EXPECT_EQ(driver_has.size(), 2u);
  EXPECT_EQ((driver_has[{handles_[1], handles_[2]}]), 0u);
  EXPECT_EQ(driver_has, as_driver(edges_));
}

TEST_F(GraphEdges, OneThatIsRefusedTakesTheOthersBack) {
  const auto before = driver_has;
  accepts = 0;
  EXPECT_FALSE(add_these({{0, 3}, {2, 3}}, 1));
  EXPECT_EQ(driver_has, before);
  EXPECT_EQ(driver_has, as_driver(edges_));
}

// The programmatic edge is put back as it was: what is refused is one edge, not the next ones.
TEST_F(GraphEdges, AProgrammaticOneThatWasMadeFullIsPutBack) {
  const auto before = driver_has;
  driver_.cuGraphAddDependencies_v2 = [](CUgraph graph, const CUgraphNode* from,
                                         const CUgraphNode* to, const CUgraphEdgeData* data,
                                         size_t count) {
    accepts = *from == reinterpret_cast<CUgraphNode>(3) ? 0 : 1;
    return add(graph, from, to, data, count);
  };
  EXPECT_FALSE(add_these({{1, 2}, {0, 3}, {2, 3}}, 1));
  EXPECT_EQ(driver_has, before);
  EXPECT_EQ(driver_has, as_driver(edges_));
}

TEST_F(GraphEdges, NoneWithoutTheDriversFunctions) {
  driver_.cuGraphAddDependencies_v2 = nullptr;
  EXPECT_FALSE(add_these({{0, 3}}, 1));
  EXPECT_EQ(driver_has, as_driver(edges_));
}

}  // namespace
}  // namespace bohr::agent

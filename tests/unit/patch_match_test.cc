// SPDX-License-Identifier: Apache-2.0
// Whether a graph needs the edges of a fix file. The oracle for random graphs is the definition: in
// the graph with the edges every pair that shares bytes is in order, and without them one is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/random.h"
#include "patch/counts.h"
#include "patch/match.h"

namespace bohr::patch {
namespace {

constexpr uint64_t kBlock = 4096;

// A graph as the agent reads it: kernels that take one pointer each.
struct Made {
  std::vector<trace::Node> nodes;
  trace::Edges edges;

  explicit Made(const std::vector<uint64_t>& addresses) {
    for (size_t i = 0; i < addresses.size(); ++i) {
      trace::Node node;
      node.index = static_cast<uint32_t>(i);
      node.function = static_cast<uint32_t>(i + 1);
      node.grid_x = node.grid_y = node.grid_z = 1;
      node.params.resize(sizeof(uint64_t));
      std::memcpy(node.params.data(), &addresses[i], sizeof(uint64_t));
      nodes.push_back(node);
    }
  }
  Made& edge(uint32_t from, uint32_t to, uint64_t type = 0) {
    edges.from.push_back(from), edges.to.push_back(to), edges.types.push_back(type);
    return *this;
  }
  GraphView view() const {
    return {nodes, edges, [](uint32_t number) { return "k" + std::to_string(number); }};
  }
};

Use use_of(const Made& graph, uint32_t node, uint64_t bytes = kBlock) {
  return {node, {}, kernel_of(graph.view(), graph.nodes[node]), Field::parameter, 0, 0, bytes};
}

FixFile file_for(const Made& graph, std::vector<NewEdge> edges, const std::vector<NewEdge>& pairs,
                 uint64_t bytes = kBlock) {
  FixGraph entry;
  entry.topology = topology_key(graph.view());
  entry.sizes = sizes_key(graph.view());
  entry.nodes = static_cast<uint32_t>(graph.nodes.size());
  entry.edges = std::move(edges);
  for (const NewEdge& pair : pairs)
    entry.pairs.push_back({use_of(graph, pair.from, bytes), use_of(graph, pair.to, bytes), "s"});
  FixFile file;
  file.graphs.push_back(std::move(entry));
  return file;
}

TEST(PatchMatch, TheSameGraphNeedsItsEdge) {
  const Made graph({0x10000, 0x10000, 0x90000});
  const FixFile file = file_for(graph, {{0, 1}}, {{0, 1}});
  const Match found = match(file, graph.view());
  EXPECT_EQ(found.need, Need::needed);
  EXPECT_EQ(found.edges, (std::vector<NewEdge>{{0, 1}}));
  EXPECT_FALSE(in_order(graph.view(), found.pairs));
  Made mended = graph;
  mended.edge(0, 1);
  EXPECT_TRUE(in_order(mended.view(), found.pairs));
}

TEST(PatchMatch, BlocksThatAreApartNeedNone) {
  const Made racy({0x10000, 0x10000, 0x90000});
  const Made apart({0x10000, 0x10000 + kBlock, 0x90000});
  const Made overlapping({0x10000, 0x10000 + kBlock - 8, 0x90000});
  const FixFile file = file_for(racy, {{0, 1}}, {{0, 1}});
  EXPECT_EQ(match(file, apart.view()).need, Need::not_needed);
  EXPECT_EQ(match(file, overlapping.view()).need, Need::needed);
}

TEST(PatchMatch, APointerIntoABlockIsMeasuredFromTheBlocksBegin) {
  const Made racy({0x10000 + 4000, 0x10000, 0x90000});
  FixFile file = file_for(racy, {{0, 1}}, {{0, 1}});
  file.graphs[0].pairs[0].first.into = 4000;
  EXPECT_EQ(match(file, racy.view()).need, Need::needed);
  const Made below({0x10000 - kBlock + 4000, 0x10000, 0x90000});
  EXPECT_EQ(match(file, below.view()).need, Need::not_needed);
}

// A child graph stands for what is inside it, and the addresses are those of the inside.
TEST(PatchMatch, OfAChildGraphTheAddressInsideDecides) {
  const auto around = [](uint64_t written) {
    Made graph({0, 0x10000, 0x90000});
    graph.nodes[0].type = 4;
    graph.nodes[0].params.clear();
    return std::pair(graph, std::vector<ChildGraph>{{0, Made({0x90000, written}).nodes, {}}});
  };
  const auto matched = [&](const FixFile& file, uint64_t written) {
    const auto [graph, children] = around(written);
    GraphView view = graph.view();
    view.children = children;
    return match(file, view);
  };
  FixFile file = file_for(around(0x10000).first, {{0, 1}}, {{0, 1}});
  file.graphs[0].pairs[0].first.inside = {1};
  EXPECT_EQ(matched(file, 0x10000).edges, (std::vector<NewEdge>{{0, 1}}));
  EXPECT_EQ(matched(file, 0x10000 + kBlock).need, Need::not_needed);
  // What is not there to be looked at was racy when it was recorded.
  file.graphs[0].pairs[0].first.inside = {7};
  EXPECT_EQ(matched(file, 0x10000 + kBlock).need, Need::needed);
}

TEST(PatchMatch, OtherSizesAreDecidedOnlyWhereTheyOverlap) {
  const Made recorded({0x10000, 0x10000, 0x90000});
  const FixFile file = file_for(recorded, {{0, 1}}, {{0, 1}});
  Made larger = recorded;
  for (trace::Node& node : larger.nodes) node.grid_x = 2;
  EXPECT_EQ(match(file, larger.view()).need, Need::needed);
  Made apart({0x10000, 0x10000 + kBlock, 0x90000});
  for (trace::Node& node : apart.nodes) node.grid_x = 2;
  EXPECT_EQ(match(file, apart.view()).need, Need::unresolved);
  apart.edge(0, 1);
  EXPECT_EQ(match(file, apart.view()).need, Need::elsewhere);
}

TEST(PatchMatch, AnotherShapeWithTheMistakeIsNotResolved) {
  const Made recorded({0x10000, 0x10000, 0x90000});
  const FixFile file = file_for(recorded, {{0, 1}}, {{0, 1}});
  const Made longer({0x10000, 0x10000, 0x90000, 0xa0000});
  EXPECT_EQ(match(file, longer.view()).need, Need::unresolved);
  Made ordered = longer;
  ordered.edge(1, 2).edge(2, 0);
  EXPECT_EQ(match(file, ordered.view()).need, Need::elsewhere);
  const Made apart({0x10000, 0x10000 + kBlock, 0x90000, 0xa0000});
  EXPECT_EQ(match(file, apart.view()).need, Need::elsewhere);
}

TEST(PatchMatch, AProgrammaticEdgeOrdersNothing) {
  Made graph({0x10000, 0x10000, 0x90000});
  graph.edge(0, 1, 1);
  const FixFile file = file_for(graph, {{0, 1}}, {{0, 1}});
  EXPECT_EQ(match(file, graph.view()).need, Need::needed);
  EXPECT_EQ(match(file, graph.view()).edges, (std::vector<NewEdge>{{0, 1}}));
}

TEST(PatchMatch, EdgesAgainstTheGraphsOwnAreNotAdded) {
  Made graph({0x10000, 0x10000, 0x90000, 0x90000});
  graph.edge(1, 2);
  FixFile file = file_for(graph, {{2, 1}}, {{0, 1}});
  EXPECT_EQ(match(file, graph.view()).need, Need::unresolved);
  file.graphs[0].edges = {{2, 2}};
  EXPECT_EQ(match(file, graph.view()).need, Need::unresolved);
  file.graphs[0].edges = {{2, 3}};  // orders another pair
  EXPECT_EQ(match(file, graph.view()).need, Need::unresolved);
}

TEST(PatchMatch, TwoRacesOfOneShapeAreBothMended) {
  const Made graph({0x10000, 0x10000, 0x90000, 0x90000});
  FixFile file = file_for(graph, {{0, 1}}, {{0, 1}});
  const FixFile second = file_for(graph, {{2, 3}}, {{2, 3}});
  file.graphs.push_back(second.graphs[0]);
  const Match found = match(file, graph.view());
  EXPECT_EQ(found.edges, (std::vector<NewEdge>{{0, 1}, {2, 3}}));
}

TEST(PatchMatch, RandomGraphsAreMendedOrLeftAlone) {
  Random random(7);
  int needed = 0, left = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto count = static_cast<uint32_t>(2 + random.below(6));
    std::vector<uint64_t> addresses;
    for (uint32_t n = 0; n < count; ++n)
      addresses.push_back(0x10000 + kBlock / 2 * random.below(2 * count));
    Made graph(addresses);
    for (uint32_t a = 0; a < count; ++a)
      for (uint32_t b = a + 1; b < count; ++b)
        if (random.below(4) == 0) graph.edge(a, b, random.below(4) == 0);
    // All pairs are told, and the edges are a chain of all nodes: enough for any of them.
    std::vector<NewEdge> pairs, chain;
    for (uint32_t a = 0; a < count; ++a)
      for (uint32_t b = a + 1; b < count; ++b) pairs.push_back({a, b});
    for (uint32_t a = 0; a + 1 < count; ++a) chain.push_back({a, a + 1});
    const Match found = match(file_for(graph, chain, pairs), graph.view());
    std::vector<NewEdge> shared;
    for (const NewEdge& pair : pairs) {
      const uint64_t a = addresses[pair.from], b = addresses[pair.to];
      if (std::max(a, b) - std::min(a, b) < kBlock) shared.push_back(pair);
    }
    if (in_order(graph.view(), shared)) {
      EXPECT_EQ(found.need, Need::not_needed);
      ++left;
      continue;
    }
    ASSERT_EQ(found.need, Need::needed);
    ++needed;
    for (const NewEdge& edge : found.edges) graph.edge(edge.from, edge.to);
    EXPECT_TRUE(in_order(graph.view(), shared));
  }
  EXPECT_GT(needed, 200);
  EXPECT_GT(left, 200);
}

TEST(PatchKey, EdgesInAnyOrderAreTheSameGraph) {
  Made a({1, 2, 3}), b({7, 8, 9});
  a.edge(0, 1).edge(1, 2);
  b.edge(1, 2).edge(0, 1);
  EXPECT_EQ(topology_key(a.view()), topology_key(b.view()));
  b.edge(0, 2);
  EXPECT_NE(topology_key(a.view()), topology_key(b.view()));
  Made other({1, 2, 3});
  other.edge(0, 1).edge(1, 2);
  other.nodes[1].function = 9;
  EXPECT_NE(topology_key(a.view()), topology_key(other.view()));
  Made larger({1, 2, 3});
  larger.edge(0, 1).edge(1, 2);
  larger.nodes[1].grid_x = 9;
  EXPECT_EQ(topology_key(a.view()), topology_key(larger.view()));
  EXPECT_NE(sizes_key(a.view()), sizes_key(larger.view()));
}

TEST(PatchFile, IsReadAsItWasWritten) {
  const Made graph({0x10000, 0x10000, 0x90000});
  FixFile file = file_for(graph, {{0, 1}}, {{0, 1}});
  file.made_from = "pid 1 \"python\"";
  file.repairs = {"let a wait for b"};
  file.without_edges = {"pool-1234"};
  const auto again = parse_fix_file(to_text(file), "fix.json");
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_EQ(to_text(again.value()), to_text(file));
  EXPECT_EQ(match(again.value(), graph.view()).need, Need::needed);
}

TEST(PatchFile, WhatCannotBeUsedIsRefusedByName) {
  const Made graph({0x10000, 0x10000, 0x90000});
  const auto code = [](const FixFile& file) {
    const auto parsed = parse_fix_file(to_text(file), "fix.json");
    return parsed.ok() ? std::string() : parsed.error().code;
  };
  EXPECT_EQ(code(file_for(graph, {{0, 1}}, {{0, 1}})), "");
  EXPECT_EQ(code(file_for(graph, {{0, 1}, {1, 2}, {2, 0}}, {})), "fix-cycle");
  EXPECT_EQ(code(file_for(graph, {{1, 1}}, {})), "fix-cycle");
  EXPECT_EQ(code(file_for(graph, {{1, 3}}, {})), "fix-file");
  EXPECT_EQ(has_edge_form(file_for(graph, {}, {{0, 1}}), "fix.json").error().code,
            "fix-no-edge-form");
  for (const char* text :
       {"", "{", "[]", "null", "{\"schema\": 1}", "{\"schema\": \"bohr.fix/1\"}"})
    EXPECT_EQ(parse_fix_file(text, "fix.json").error().code, "fix-file") << text;
}

TEST(PatchFile, NumbersAreWholeAndFit) {
  const Made graph({0x10000, 0x10000, 0x90000});
  const std::string text = to_text(file_for(graph, {{0, 1}}, {{0, 1}}));
  const auto with = [&](const std::string& field, const std::string& number) {
    std::string changed = text;
    const size_t at = changed.find("\"" + field + "\": ") + field.size() + 4;
    changed.replace(at, changed.find_first_of(",\n}", at) - at, number);
    return parse_fix_file(changed, "fix.json");
  };
  for (const char* field : {"node", "offset", "into", "bytes", "nodes"}) {
    for (const char* number : {"1e30", "-1", "1.5", "18446744073709551616", "\"1\"", "null"})
      EXPECT_FALSE(with(field, number).ok()) << field << " " << number;
    EXPECT_TRUE(with(field, field == std::string("nodes") ? "3" : "1").ok()) << field;
  }
}

TEST(PatchCounts, AreReadAsTheyWereWritten) {
  Counts counts;
  counts.applied = 12, counts.not_needed = 24, counts.unresolved = 1, counts.of_fix = 30;
  counts.whys = {"a graph"}, counts.refused = "because";
  const auto again = parse_counts(to_text(counts), "1.apply");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(to_text(again.value()), to_text(counts));
  for (const char* text : {"", "{}", "[1]", "{\"applied\": 1e30}"})
    EXPECT_EQ(parse_counts(text, "1.apply").error().code, "fix-file") << text;
  std::string large = to_text(counts);
  large.replace(large.find("12"), 2, "1e30");
  EXPECT_FALSE(parse_counts(large, "1.apply").ok());
}

}  // namespace
}  // namespace bohr::patch

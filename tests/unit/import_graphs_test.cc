// SPDX-License-Identifier: Apache-2.0
// Graphs, captures and what the allocator did during them.
#include <gtest/gtest.h>

#include "log_builder.h"
#include "trace/import.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kQ = 0x7f0000001000;
constexpr uint64_t kX = 0x7f0000101000;

using Nodes = std::vector<NodeId>;
NodeId id(int i) { return NodeId(static_cast<int32_t>(i)); }

struct GraphImport : ::testing::Test {
  GraphImport() : s(b.stream()), t(b.stream()), k(b.function("_Z1kPf", {8})) {}
  const bohr::Graph& run() {
    Result<Program> result = import_log(b.log);
    EXPECT_TRUE(result.ok());
    program = std::move(result).value();
    EXPECT_FALSE(program.graphs.empty());
    return program.graphs[0];
  }
  int64_t count(const std::string& reason) const {
    int64_t n = 0;
    for (const bohr::Diagnostic& d : program.diagnostics) n += d.reason == reason ? d.count : 0;
    return n;
  }
  LogBuilder b;
  uint32_t s, t, k;
  Program program;
};

TEST_F(GraphImport, NodesStandInTheOrderOfTheirCreation) {
  b.capture_begin(1, s);
  Node first = b.kernel_node(s, b.function("_Z5firstPf", {8}), {0});
  Node second = b.kernel_node(s, b.function("_Z6secondPf", {8}), {0});
  b.capture_end(1, s, 4);
  b.add_graph(4, 1, {second, first}, {{1, 0}});
  b.exec(9, 4);
  b.launch(9, s);
  const bohr::Graph& g = run();
  ASSERT_EQ(g.nodes.size(), 2u);
  EXPECT_EQ(label_of(program, g.nodes[0]), "first");
  ASSERT_EQ(g.edges.size(), 1u);
  EXPECT_EQ(g.edges[0].from, id(0));
  EXPECT_EQ(g.edges[0].to, id(1));
  EXPECT_EQ(g.recorded, 4u);
  EXPECT_EQ(g.recorded_nodes, (std::vector<int32_t>{1, 0}));
  EXPECT_TRUE(g.fully_read);
  ASSERT_EQ(program.ops.size(), 1u);
  EXPECT_EQ(program.ops[0].graph, GraphId(0));
  EXPECT_EQ(program.recorded_execs, (std::vector<uint32_t>{9}));
  EXPECT_EQ(g.begin.index, 0);
  EXPECT_EQ(g.end.index, 0);
}

// An edge was added between the end of the capture and the instantiation.
TEST_F(GraphImport, ACapturedGraphThatWasReadAgainIsTheOneThatRuns) {
  b.capture_begin(1, s);
  b.block_alloc(kQ, 0x1000, s, 1);
  std::vector<Node> nodes = {b.kernel_node(s, k, {kQ}), b.kernel_node(t, k, {kQ})};
  b.block_free(kQ, 0x1000, s, 1);
  b.capture_end(1, s, 4);
  b.add_graph(4, 1, nodes, {});
  b.add_graph(5, 0, nodes, {{0, 1}});
  b.exec(9, 5);
  b.launch(9, s);
  const bohr::Graph& g = run();
  EXPECT_EQ(program.graphs.size(), 1u);
  EXPECT_EQ(g.recorded, 5u);
  EXPECT_EQ(g.edges.size(), 1u);
  EXPECT_EQ(g.marks.size(), 2u);
  EXPECT_EQ(program.lifetimes[0].alloc.graph, GraphId(0));
  EXPECT_EQ(accesses_of(g, g.nodes[0])[0].lifetime, LifetimeId(0));
}

TEST_F(GraphImport, ACapturedGraphThatRunsItselfStaysBesideItsCopies) {
  b.capture_begin(1, s);
  std::vector<Node> nodes = {b.kernel_node(s, k, {kQ})};
  b.capture_end(1, s, 4);
  b.add_graph(4, 1, nodes, {});
  b.add_graph(5, 0, nodes, {});
  b.exec(8, 4);
  b.exec(9, 5);
  run();
  EXPECT_EQ(program.graphs.size(), 2u);
}

TEST_F(GraphImport, EdgesKeepTheirKind) {
  std::vector<Node> nodes;
  for (int i = 0; i < 4; ++i) nodes.push_back(b.kernel_node(s, k, {0}));
  Graph graph = b.graph(4, 0, nodes, {{0, 1}, {1, 2}, {2, 3}});
  std::get<Edges>(b.log.records.back()).types = {0, 1 | 1 << 8, 2 << 8};
  b.add(graph);
  const bohr::Graph& g = run();
  ASSERT_EQ(g.edges.size(), 3u);
  EXPECT_EQ(g.edges[0].kind, EdgeKind::full);
  EXPECT_EQ(g.edges[1].kind, EdgeKind::programmatic);
  EXPECT_EQ(g.edges[2].kind, EdgeKind::launch_order);
}

TEST_F(GraphImport, EdgesToNowhereLeaveTheGraphNotFullyRead) {
  Node node = b.kernel_node(s, k, {0});
  b.add_graph(4, 0, {node, node}, {{0, 1}, {1, 7}, {~uint64_t{0}, 0}});
  const bohr::Graph& g = run();
  EXPECT_EQ(g.edges.size(), 1u);
  EXPECT_FALSE(g.fully_read);
  EXPECT_EQ(count("lost-records"), 1);
}

TEST_F(GraphImport, MissingNodesLeaveTheGraphNotFullyRead) {
  Graph graph = b.graph(4, 0, {b.kernel_node(s, k, {0})}, {});
  graph.nodes = 3;
  b.add(graph);
  EXPECT_FALSE(run().fully_read);
}

// fork: t joins by an event, both streams use q's block, the join comes after the free.
TEST_F(GraphImport, AllocatorEventsGetTheFrontierOfTheOwnerStream) {
  b.block_alloc(kX, 0x1000, s);
  b.capture_begin(1, s);
  b.block_alloc(kQ, 0x1000, s, 1);
  std::vector<Node> nodes;
  nodes.push_back(b.kernel_node(s, k, {kQ}));
  b.event_record(5, 1, s, 1);
  b.event_wait(5, 1, t, 1);
  nodes.push_back(b.kernel_node(t, k, {kQ}));
  b.block_free(kQ, 0x1000, s, 1);
  b.block_alloc(kQ, 0x800, s, 1);
  nodes.push_back(b.kernel_node(s, k, {kQ}));
  b.event_record(6, 1, t, 1);
  b.event_wait(6, 1, s, 1);
  b.block_free(kQ, 0x800, s, 1);
  b.capture_end(1, s, 4);
  b.add_graph(4, 1, nodes, {{0, 1}, {0, 2}});
  const bohr::Graph& g = run();
  ASSERT_EQ(g.marks.size(), 4u);
  EXPECT_EQ(g.marks[0].kind, MarkKind::alloc);
  EXPECT_EQ(g.marks[0].before, id(0));
  EXPECT_TRUE(g.marks[0].frontier.empty());
  EXPECT_EQ(g.marks[1].kind, MarkKind::free);
  EXPECT_EQ(g.marks[1].before, id(2));
  EXPECT_EQ(g.marks[1].frontier, (Nodes{id(0)}));
  EXPECT_EQ(g.marks[2].frontier, (Nodes{id(0)}));
  EXPECT_EQ(g.marks[3].before, id(3));
  EXPECT_EQ(g.marks[3].frontier, (Nodes{id(1), id(2)}));

  const Lifetime& first = program.lifetimes[g.marks[0].lifetime.index()];
  const Lifetime& second = program.lifetimes[g.marks[2].lifetime.index()];
  EXPECT_EQ(first.alloc.graph, GraphId(0));
  EXPECT_EQ(first.alloc.index, 0);
  EXPECT_EQ(first.free.index, 2);
  EXPECT_EQ(second.alloc.index, 2);
  EXPECT_EQ(accesses_of(g, g.nodes[1])[0].lifetime, g.marks[0].lifetime);
  EXPECT_EQ(accesses_of(g, g.nodes[2])[0].lifetime, g.marks[2].lifetime);
  EXPECT_EQ(accesses_of(g, g.nodes[2])[0].range.size(), 0x800u);
  EXPECT_TRUE(program.diagnostics.empty());
}

TEST_F(GraphImport, DependenciesSetByHandLeaveNoMark) {
  b.capture_begin(1, s);
  std::vector<Node> nodes;
  nodes.push_back(b.kernel_node(s, k, {kQ}));
  b.add(Unmodelled{b.call(), s, b.text("cuStreamUpdateCaptureDependencies"), true});
  b.block_alloc(kQ, 0x1000, s, 1);
  nodes.push_back(b.kernel_node(s, k, {kQ}));
  b.block_free(kQ, 0x1000, s, 1);
  b.capture_end(1, s, 4);
  b.add_graph(4, 1, nodes, {});
  const bohr::Graph& g = run();
  ASSERT_EQ(g.marks.size(), 1u) << "known again behind the next node";
  EXPECT_EQ(g.marks[0].kind, MarkKind::free);
  EXPECT_EQ(g.marks[0].frontier, (Nodes{id(1)}));
  EXPECT_EQ(program.lifetimes[0].alloc.index, 1);
  EXPECT_TRUE(program.ops.empty());
  EXPECT_EQ(count("allocator-order-unknown"), 1);
}

TEST_F(GraphImport, DependenciesSetUnseenAreFoundByTheEdges) {
  b.capture_begin(1, s);
  std::vector<Node> nodes;
  nodes.push_back(b.kernel_node(s, k, {kQ}));
  b.block_alloc(kQ, 0x1000, s, 1);
  nodes.push_back(b.kernel_node(s, k, {kQ}));
  b.capture_end(1, s, 4);
  b.add_graph(4, 1, nodes, {});  // the second is no successor of the first
  EXPECT_TRUE(run().marks.empty());
  EXPECT_EQ(count("allocator-order-unknown"), 1);
}

TEST_F(GraphImport, EdgesThatOthersImplyAreNoContradiction) {
  b.capture_begin(1, s);
  std::vector<Node> nodes;
  nodes.push_back(b.kernel_node(s, k, {kQ}));
  b.event_record(5, 1, s, 1);
  b.event_wait(5, 1, t, 1);
  nodes.push_back(b.kernel_node(t, k, {kQ}));
  b.event_record(6, 1, t, 1);
  b.event_wait(6, 1, s, 1);  // frontier of s: nodes 0 and 1; the graph may list 1 alone
  b.block_alloc(kQ, 0x1000, s, 1);
  nodes.push_back(b.kernel_node(s, k, {kQ}));
  b.capture_end(1, s, 4);
  b.add_graph(4, 1, nodes, {{0, 1}, {1, 2}});
  EXPECT_EQ(run().marks.size(), 1u);
  EXPECT_TRUE(program.diagnostics.empty());
}

TEST_F(GraphImport, ABlockOfAStreamOutsideTheCaptureIsFreedInTheProgram) {
  const uint32_t other = b.stream();
  b.block_alloc(kQ, 0x1000, other);
  b.capture_begin(1, s);
  b.block_free(kQ, 0x1000, other);
  b.block_alloc(kX, 0x1000, s, 1);
  b.capture_end(1, s, 4);
  b.add_graph(4, 1, {}, {});
  b.block_free(kX, 0x1000, s, 1);
  const bohr::Graph& g = run();
  EXPECT_EQ(g.marks.size(), 1u);
  EXPECT_FALSE(program.lifetimes[0].free.graph.valid());
  EXPECT_TRUE(program.lifetimes[1].alloc.graph.valid());
  EXPECT_FALSE(program.lifetimes[1].free.graph.valid()) << "freed after the capture";
  EXPECT_EQ(program.ops[static_cast<size_t>(program.lifetimes[1].free.index)].kind, OpKind::free);
}

TEST_F(GraphImport, AFailedCapturesBlocksLiveInTheProgram) {
  b.capture_begin(1, s);
  b.block_alloc(kQ, 0x1000, s, 1);
  b.capture_end(1, s, 0);
  b.add_graph(4, 0, {}, {});
  run();
  EXPECT_FALSE(program.lifetimes[0].alloc.graph.valid());
  EXPECT_TRUE(program.lifetimes[0].alloc.known());
}

// A graph's own come first, then each child's with those of its children.
TEST_F(GraphImport, NodesOfChildrenAreNumberedBehindTheirGraphs) {
  const auto child = [&](uint32_t number, uint32_t parent, uint32_t node, std::vector<Node> nodes) {
    Graph record = b.graph(number, 0, std::move(nodes), {});
    record.parent = parent, record.parent_node = node;
    b.add(record);
  };
  const auto holder = [&](uint32_t number) {
    Node node = b.node(4, s);
    node.child = number;
    return node;
  };
  child(7, 5, 0, {b.kernel_node(s, k, {0})});
  child(5, 4, 0, {holder(7), b.kernel_node(s, k, {0})});
  child(6, 4, 2, {b.kernel_node(s, k, {0})});
  b.add_graph(4, 0, {holder(5), holder(99), holder(6)}, {});
  const bohr::Graph& g = run();
  // Opens 5, which opens 7 with its kernel; 99 was not read; 6.
  EXPECT_EQ(g.recorded_nodes, (std::vector<int32_t>{0, 3, 5, 3, 4, 0, -1, 2, 6, 2}));
  EXPECT_EQ(g.nodes[6].kind, OpKind::child);
}

TEST_F(GraphImport, AChildGraphStandsInPlaceOfItsNode) {
  std::vector<Node> inner = {b.kernel_node(s, k, {0}), b.kernel_node(s, k, {0}),
                             b.kernel_node(s, k, {0})};
  Graph child = b.graph(5, 0, inner, {{0, 1}});
  child.parent = 4;
  child.parent_node = 1;
  b.add(child);
  Node before = b.kernel_node(s, k, {0});
  Node node = b.node(4, s);
  node.child = 5;
  Node after = b.kernel_node(s, k, {0});
  b.add_graph(4, 0, {before, node, after}, {{0, 1}, {1, 2}});
  const bohr::Graph& g = run();
  EXPECT_EQ(program.graphs.size(), 1u);
  ASSERT_EQ(g.nodes.size(), 7u);  // before, open, three, close, after
  EXPECT_EQ(g.nodes[1].kind, OpKind::empty);
  EXPECT_EQ(g.nodes[5].kind, OpKind::empty);
  EXPECT_EQ(g.recorded_nodes, (std::vector<int32_t>{0, 1, 3, 4, 5, 1, 2}));
  auto has = [&](int from, int to) {
    for (const Edge& edge : g.edges)
      if (edge.from == id(from) && edge.to == id(to)) return true;
    return false;
  };
  EXPECT_TRUE(has(0, 1) && has(1, 2) && has(2, 3) && has(3, 5) && has(5, 6));
  EXPECT_TRUE(has(1, 4) && has(4, 5));
  EXPECT_FALSE(has(1, 3)) << "ordered by the edge inside already";
}

TEST_F(GraphImport, AChildThatNamesAnotherParentIsNotRead) {
  Graph child = b.graph(5, 0, {b.kernel_node(s, k, {0})}, {});
  child.parent = 4;
  child.parent_node = 7;
  b.add(child);
  Node node = b.node(4, s);
  node.child = 5;
  b.add_graph(4, 0, {node}, {});
  const bohr::Graph& g = run();
  ASSERT_EQ(g.nodes.size(), 1u);
  EXPECT_EQ(g.nodes[0].kind, OpKind::child);
  EXPECT_TRUE(g.nodes[0].unknown);
  EXPECT_EQ(count("unknown-access"), 1);
}

TEST_F(GraphImport, AGraphThatIsItsOwnChildEnds) {
  Node node = b.node(4, s);
  node.child = 4;
  Graph graph = b.graph(4, 0, {node}, {});
  graph.parent = 4;
  b.add(graph);
  b.exec(1, 4);
  EXPECT_EQ(run().nodes.size(), 1u);
}

TEST_F(GraphImport, MemoryNodesBeginAndEndLifetimes) {
  std::vector<Node> nodes;
  nodes.push_back(b.node(10, s));
  nodes.back().dst = kQ;
  nodes.back().width = 0x1000;
  nodes.push_back(b.kernel_node(s, k, {kQ + 8}));
  nodes.push_back(b.node(11, s));
  nodes.back().dst = kQ;
  nodes.push_back(b.kernel_node(s, k, {kQ + 8}));
  b.add_graph(4, 0, nodes, {{0, 1}, {1, 2}, {2, 3}});
  const bohr::Graph& g = run();
  ASSERT_EQ(program.lifetimes.size(), 1u);
  EXPECT_EQ(program.lifetimes[0].alloc.index, 1);
  EXPECT_EQ(program.lifetimes[0].free.index, 3);
  EXPECT_EQ(accesses_of(g, g.nodes[1]).size(), 1u);
  EXPECT_EQ(accesses_of(g, g.nodes[3]).size(), 0u);
  ASSERT_EQ(g.marks.size(), 2u);
  EXPECT_EQ(g.marks[1].frontier, (Nodes{id(2)}));
}

TEST_F(GraphImport, NodesThatAreNotModelledSayWhatIsLost) {
  b.add_graph(4, 0, {b.node(6, s), b.node(12, s), b.node(13, s), b.node(99, s)}, {});
  const bohr::Graph& g = run();
  for (const Op& op : g.nodes) EXPECT_EQ(op.kind, OpKind::unmodelled);
  EXPECT_TRUE(g.nodes[0].order_unknown);
  EXPECT_TRUE(g.nodes[1].order_unknown);
  EXPECT_FALSE(g.nodes[2].order_unknown);
  EXPECT_EQ(count("foreign-event"), 1);
  EXPECT_EQ(count("unmodelled-synchronisation"), 1);
  EXPECT_EQ(count("unknown-access"), 2);
}

TEST_F(GraphImport, LaunchesNameTheVersionThatTheyRun) {
  b.add_graph(4, 0, {b.kernel_node(s, k, {0})}, {});
  b.add_graph(5, 0, {b.kernel_node(s, k, {0})}, {});
  b.exec(1, 4);
  b.launch(1, s);
  b.add(ExecChange{b.call(), 1, 5, b.text("cuGraphExecUpdate")});
  b.launch(1, s);
  b.add(ExecChange{b.call(), 1, 0, b.text("cuGraphExecKernelNodeSetParams")});
  b.launch(1, s);
  run();
  ASSERT_EQ(program.ops.size(), 3u);
  EXPECT_EQ(program.graphs[program.ops[0].graph.index()].recorded, 4u);
  EXPECT_EQ(program.graphs[program.ops[1].graph.index()].recorded, 5u);
  EXPECT_FALSE(program.ops[1].unknown);
  EXPECT_TRUE(program.ops[2].unknown);
  for (const Op& op : program.ops) EXPECT_EQ(op.exec, ExecId(0));
  EXPECT_EQ(count("unknown-access"), 1);
}

TEST_F(GraphImport, LaunchesOfUnknownExecsStayLaunches) {
  b.launch(77, s);
  b.exec(1, 1234);
  b.launch(1, s);
  run();
  ASSERT_EQ(program.ops.size(), 2u);
  EXPECT_NE(program.ops[0].exec, program.ops[1].exec);
  for (const Op& op : program.ops) {
    EXPECT_TRUE(op.unknown);
    ASSERT_TRUE(op.graph.valid());
    EXPECT_FALSE(program.graphs[op.graph.index()].fully_read);
  }
  EXPECT_EQ(count("unknown-access"), 2);
}

}  // namespace
}  // namespace bohr::trace

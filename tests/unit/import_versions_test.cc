// SPDX-License-Identifier: Apache-2.0
// Versions of graphs: what an exec runs whose nodes were set or disabled after it was instantiated.
#include <gtest/gtest.h>

#include "log_builder.h"
#include "trace/import.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kFirst = 0x7f0000001000;
constexpr uint64_t kB = 0x7f0000101000;

struct VersionImport : ::testing::Test {
  VersionImport() : s(b.stream()), k(b.function("_Z1kPf", {8})) {}
  // A graph of two kernels that the exec 1 runs, listed last first.
  void two_kernels(uint64_t first_memory, uint64_t second_memory) {
    b.capture_begin(1, s);
    const Node first = b.kernel_node(s, k, {first_memory});
    const Node second = b.kernel_node(s, k, {second_memory});
    b.capture_end(1, s, 4);
    b.add_graph(4, 1, {second, first}, {{1, 0}});
    b.exec(1, 4);
  }
  // What a node was set to by a call now.
  Node set(uint32_t graph, uint32_t index, uint64_t memory) {
    Node node = b.kernel_node(0, k, {memory});
    node.thread = node.stack = 0;
    node.graph = graph, node.index = index;
    return node;
  }
  void version(uint32_t graph, uint32_t base, const std::vector<Node>& nodes) {
    b.add(GraphVersion{++b.seq, graph, base, static_cast<uint32_t>(nodes.size())});
    for (const Node& node : nodes) b.add(node);
    b.add(ExecChange{b.call(), 1, graph, b.text("cuGraphExecKernelNodeSetParams_v2")});
    b.launch(1, s);
  }
  void run() {
    Result<Program> result = import_log(b.log);
    ASSERT_TRUE(result.ok());
    program = std::move(result).value();
  }
  const bohr::Graph& graph(uint32_t recorded) const {
    for (const bohr::Graph& one : program.graphs)
      if (one.recorded == recorded) return one;
    ADD_FAILURE() << "no graph " << recorded;
    return program.graphs.front();
  }
  // The first byte of what a node touches; 0: nothing.
  uint64_t touched(uint32_t recorded, size_t node) const {
    const bohr::Graph& one = graph(recorded);
    const Op& op = one.nodes.at(node);
    return op.access_count == 0 ? 0 : one.accesses.at(op.access_begin).range.begin;
  }
  int64_t lost() const {
    int64_t n = 0;
    for (const bohr::Diagnostic& d : program.diagnostics) n += d.reason == "lost-records";
    return n;
  }
  LogBuilder b;
  uint32_t s, k;
  Program program;
};

TEST_F(VersionImport, ANodeThatWasSetKeepsItsPlace) {
  b.mem_alloc(kFirst, 256);
  b.mem_alloc(kB, 256);
  two_kernels(kFirst, kFirst);
  version(5, 4, {set(5, 1, kB)});
  run();
  EXPECT_EQ(touched(4, 0), kFirst);
  EXPECT_EQ(touched(5, 0), kB);
  EXPECT_EQ(touched(5, 1), kFirst);
  EXPECT_EQ(graph(5).recorded_nodes, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(graph(5).name, graph(4).name);
  ASSERT_EQ(graph(5).edges.size(), 1u);
  EXPECT_EQ(graph(5).edges[0].from, NodeId(0));
  EXPECT_EQ(graph(5).nodes[0].stream, graph(4).nodes[0].stream);
  EXPECT_TRUE(graph(5).fully_read);
  const Op& launch = program.ops.back();
  EXPECT_EQ(program.graphs.at(launch.graph.index()).recorded, 5u);
  EXPECT_FALSE(launch.unknown);
  EXPECT_EQ(lost(), 0);
}

TEST_F(VersionImport, AnAddressIsOfTheBlockThatItWasSetFor) {
  b.mem_alloc(kFirst, 256);
  two_kernels(kFirst, kFirst);
  b.mem_free(kFirst);
  b.mem_alloc(kFirst, 256);
  version(5, 4, {set(5, 1, kFirst)});
  run();
  const bohr::Graph& changed = graph(5);
  const Access& set_later = changed.accesses.at(changed.nodes[0].access_begin);
  const Access& as_captured = changed.accesses.at(changed.nodes[1].access_begin);
  EXPECT_FALSE(program.lifetimes[set_later.lifetime.index()].free.known());
  EXPECT_TRUE(program.lifetimes[as_captured.lifetime.index()].free.known());
}

TEST_F(VersionImport, ADisabledNodeDoesNothing) {
  b.mem_alloc(kFirst, 256);
  two_kernels(kFirst, kFirst);
  Node disabled;
  disabled.graph = 5, disabled.type = 5;
  version(5, 4, {disabled});
  run();
  EXPECT_EQ(touched(5, 0), kFirst);
  EXPECT_EQ(touched(5, 1), 0u);
  EXPECT_EQ(graph(5).nodes[1].kind, OpKind::empty);
}

TEST_F(VersionImport, AVersionCanBeOfAVersion) {
  b.mem_alloc(kFirst, 256);
  b.mem_alloc(kB, 256);
  two_kernels(kFirst, kFirst);
  version(5, 4, {set(5, 1, kB)});
  version(6, 5, {set(6, 0, kB)});
  run();
  EXPECT_EQ(touched(6, 0), kB);
  EXPECT_EQ(touched(6, 1), kB);
}

// Its launch is of a graph that was not read.
TEST_F(VersionImport, AVersionThatIsNotThereWholeIsNone) {
  two_kernels(kFirst, kFirst);
  version(5, 9, {});
  version(6, 4, {set(6, 2, kFirst)});
  b.add(GraphVersion{++b.seq, 7, 4, 2});
  b.add(set(7, 0, kFirst));
  b.add(ExecChange{b.call(), 1, 7, b.text("x")});
  b.launch(1, s);
  version(8, 8, {});
  run();
  EXPECT_EQ(lost(), 1);
  ASSERT_EQ(program.ops.size(), 4u);
  for (const Op& op : program.ops) EXPECT_TRUE(op.unknown);
}

// Many versions of a long graph would fill the memory of whoever reads a short log.
TEST_F(VersionImport, VersionsAreBounded) {
  const std::vector<Node> nodes(3000, b.kernel_node(s, k, {kFirst}));
  b.add_graph(4, 0, nodes, {});
  b.exec(1, 4);
  for (uint32_t i = 5; i < 2000; ++i) b.add(GraphVersion{++b.seq, i, 4, 0});
  run();
  EXPECT_LT(program.graphs.size(), 1500u);
  EXPECT_EQ(lost(), 1);
}

}  // namespace
}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Bodies of conditional nodes, and nodes that wait for what no edge shows.
#include <gtest/gtest.h>

#include <algorithm>

#include "check/check.h"
#include "log_builder.h"
#include "replay/symbolic/replayer.h"
#include "trace/import.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kX = 0x7f0000100000;
constexpr uint64_t kFlag = 0x7f0000200000;

struct Conditionals : ::testing::Test {
  Conditionals() : s(b.stream()), t(b.stream()) {
    b.mem_alloc(kX, 0x1000);
    b.mem_alloc(kFlag, 0x1000);
  }
  Node set_node(uint32_t on) {
    Node node = b.node(2, on);
    node.dst = kX;
    node.width = 0x1000;
    return node;
  }
  void body(uint32_t number, uint32_t parent, uint32_t node, std::vector<Node> nodes,
            const LogBuilder::EdgeList& edges) {
    Graph record = b.graph(number, 0, std::move(nodes), edges);
    record.parent = parent, record.parent_node = node;
    b.add(record);
  }
  void conditional(uint32_t graph, uint32_t node, Condition condition, uint32_t bodies) {
    b.add(Conditional{graph, node, condition, bodies});
  }
  // Graph 4: the nodes, launched once.
  void run(std::vector<Node> nodes, const LogBuilder::EdgeList& edges) {
    b.add_graph(4, 0, std::move(nodes), edges);
    b.exec(1, 4);
    b.launch(1, s);
    Result<Program> result = import_log(b.log);
    ASSERT_TRUE(result.ok());
    program = std::move(result).value();
    Result<Verdict> checked = check::check(program, {});
    ASSERT_TRUE(checked.ok());
    verdict = std::move(checked).value();
  }
  std::vector<std::string> labels() const {
    std::vector<std::string> found;
    for (const Op& op : program.graphs[0].nodes) found.emplace_back(label_of(program, op));
    return found;
  }
  bool has_reason(HazardClass cls, const std::string& reason) const {
    const auto& reasons = verdict.coverage[static_cast<size_t>(cls)].reasons;
    return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
  }

  LogBuilder b;
  uint32_t s, t;
  Program program;
  Verdict verdict;
};

TEST_F(Conditionals, ABodyStandsInPlaceOfItsNode) {
  Node before = set_node(s), node = b.node(13, s), after = set_node(s);
  body(5, 4, 1, {set_node(s)}, {});
  conditional(4, 1, Condition::loop, 1);
  run({before, node, after}, {{0, 1}, {1, 2}});
  EXPECT_EQ(program.graphs.size(), 1u);
  EXPECT_EQ(labels(), (std::vector<std::string>{"memset", "while", "memset", "while", "memset"}));
}

TEST_F(Conditionals, WhatABodyDoesIsOrderedAsItsNodeIs) {
  Node before = set_node(s), node = b.node(13, s), after = set_node(s);
  body(5, 4, 1, {set_node(s)}, {});
  conditional(4, 1, Condition::once, 1);
  run({before, node, after}, {{0, 1}, {1, 2}});
  EXPECT_TRUE(verdict.findings.empty());
  EXPECT_EQ(verdict.outcome, Outcome::clean);
  const auto& nodes = program.graphs[0].nodes;
  EXPECT_EQ(std::count_if(nodes.begin(), nodes.end(), [](const Op& op) { return op.conditional; }),
            2)
      << "the body's node, and what closes the body";
}

TEST_F(Conditionals, ABodyRacesWithWhatItsNodeIsNotOrderedWith) {
  Node before = set_node(s), node = b.node(13, s);
  body(5, 4, 1, {set_node(s)}, {});
  conditional(4, 1, Condition::once, 1);
  run({before, node}, {});
  ASSERT_EQ(verdict.findings.size(), 1u);
  EXPECT_EQ(verdict.findings[0].hazard, Hazard::waw);
}

TEST_F(Conditionals, NodesOfOneBodyRace) {
  Node node = b.node(13, s);
  body(5, 4, 0, {set_node(s), set_node(t)}, {});
  conditional(4, 0, Condition::loop, 1);
  run({node}, {});
  EXPECT_EQ(verdict.findings.size(), 1u);
}

TEST_F(Conditionals, BodiesOfOneNodeDoNotRace) {
  Node node = b.node(13, s);
  body(5, 4, 0, {set_node(s)}, {});
  body(6, 4, 0, {set_node(t)}, {});
  conditional(4, 0, Condition::choice, 2);
  run({node}, {});
  EXPECT_TRUE(verdict.findings.empty());
  EXPECT_EQ(verdict.outcome, Outcome::clean);
}

TEST_F(Conditionals, ABodyThatIsMissingLeavesTheNodeUnknown) {
  Node node = b.node(13, s);
  body(5, 4, 0, {set_node(s)}, {});
  conditional(4, 0, Condition::once, 2);
  run({node}, {});
  EXPECT_EQ(labels(), std::vector<std::string>{"conditional"});
  EXPECT_TRUE(has_reason(HazardClass::data, "unknown-access"));
}

TEST_F(Conditionals, ANodeThatIsItsOwnBodyEnds) {
  Node node = b.node(13, s);
  b.add(Conditional{4, 0, Condition::once, 1});
  Graph own = b.graph(4, 0, {node}, {});
  own.parent = 4;
  b.add(own);
  b.exec(1, 4);
  EXPECT_TRUE(import_log(b.log).ok());
}

TEST_F(Conditionals, MemoryThatLifetimesShareIsUndecidedBehindABody) {
  b.mem_free(kX);
  b.mem_alloc(kX, 0x800);
  Node node = b.node(13, s);
  body(5, 4, 0, {set_node(s)}, {});
  conditional(4, 0, Condition::loop, 1);
  run({node}, {});
  EXPECT_TRUE(has_reason(HazardClass::pool, "conditional-node"));
  EXPECT_FALSE(has_reason(HazardClass::data, "conditional-node"));
}

TEST_F(Conditionals, BodiesAreNotReplayed) {
  Node node = b.node(13, s);
  body(5, 4, 0, {set_node(s)}, {});
  conditional(4, 0, Condition::once, 1);
  run({node}, {});
  const auto replayer = replay::symbolic_replayer(program);
  ASSERT_FALSE(replayer.ok());
  EXPECT_EQ(replayer.error().code, "conditional-node");
}

// What was captured into a body was read by itself first.
TEST_F(Conditionals, ACapturedBodyIsNoGraphOfItsOwn) {
  Node node = b.node(13, s);
  b.capture_begin(1, t);
  std::vector<Node> inner = {set_node(t)};
  b.capture_end(1, t, 3);
  b.add_graph(3, 1, inner, {});
  body(5, 4, 0, inner, {});
  conditional(4, 0, Condition::once, 1);
  run({node}, {});
  EXPECT_EQ(program.graphs.size(), 1u);
}

// --- nodes that wait ---

struct Waits : Conditionals {
  // A node that waits for the flag, or writes it.
  Node batch(uint32_t on, uint32_t index, bool waits) {
    Node node = b.node(12, on);
    node.attributes = waits ? kAttributeWaitsForValue : kAttributeWritesValue;
    b.add(AccessRecord{4, index, 0, kFlag, 4, Mode::atomic, Source::declared, false});
    return node;
  }
};

TEST_F(Waits, APairThatAWaitMayOrderIsACandidate) {
  Node first = set_node(s), signal = batch(s, 1, false), wait = batch(t, 2, true),
       second = set_node(t);
  run({first, signal, wait, second}, {{0, 1}, {2, 3}});
  EXPECT_TRUE(verdict.findings.empty());
  ASSERT_EQ(verdict.candidates.size(), 1u);
  EXPECT_EQ(verdict.candidates[0].reasons, std::vector<std::string>{"unmodelled-order"});
  EXPECT_EQ(labels(), (std::vector<std::string>{"memset", "value write", "value wait", "memset"}));
}

TEST_F(Waits, APairOnOneSideOfAWaitIsAFinding) {
  Node wait = batch(s, 0, true), first = set_node(s), second = set_node(t);
  run({wait, first, second}, {{0, 1}, {0, 2}});
  EXPECT_EQ(verdict.findings.size(), 1u);
}

TEST_F(Waits, ValuesBelongToTheCheck) {
  Node wait = batch(t, 0, true), reset = b.node(2, s);
  reset.dst = kFlag, reset.width = 4;
  run({wait, reset}, {});
  ASSERT_EQ(verdict.candidates.size(), 1u) << "who resets it may also be who is waited for";
  EXPECT_TRUE(verdict.findings.empty());
}

TEST_F(Waits, KernelsThatTheDeviceMayChangeAreNotKnownWhole) {
  Node kernel = b.kernel_node(s, b.function("_Z1kPf", {8}), {kX});
  kernel.attributes = kAttributeDeviceUpdatable;
  run({kernel}, {});
  EXPECT_TRUE(has_reason(HazardClass::data, "device-updatable-node"));
}

}  // namespace
}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// What a captured case becomes: edges, programmatic ones among them, and marks.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "trace/case_reader.h"

namespace bohr::trace {
namespace {

const std::string kHead =
    "case 1\nthread gc\nstream s\nstream t\nstream u\nbuffer x 4K\nbuffer y 4K\ns: record outside\n"
    "capture g on s\n";

Program must_read(const std::string& text) {
  auto program = read_case(text, "t.case");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : to_string(program.error()));
  return program.ok() ? std::move(program).value() : Program();
}

bohr::Graph graph_of(const std::string& body) {
  Program program = must_read(kHead + body + "end g\n");
  return program.graphs.empty() ? bohr::Graph() : program.graphs[0];
}

struct Link {
  int from;
  int to;
  EdgeKind kind = EdgeKind::full;
  auto operator<=>(const Link&) const = default;
};

std::vector<Link> links(const bohr::Graph& graph) {
  std::vector<Link> found;
  for (const Edge& edge : graph.edges) {
    found.push_back({edge.from.value(), edge.to.value(), edge.kind});
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<int> values(const std::vector<NodeId>& nodes) {
  std::vector<int> found;
  for (const NodeId node : nodes) found.push_back(node.value());
  return found;
}

constexpr EdgeKind kEarly = EdgeKind::programmatic;

TEST(CaseCapture, ForkAndJoin) {
  const bohr::Graph g = graph_of(
      "s: kernel a writes x\ns: record e\nt: wait e\nt: kernel b reads x\nu: wait e\n"
      "u: kernel c reads x\ns: kernel d writes y\nt: record tb\nu: record uc\n"
      "s: wait tb\ns: wait uc\ns: kernel f reads y\n");
  EXPECT_EQ(links(g), (std::vector<Link>{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}}));
}

TEST(CaseCapture, RecordKeepsTheFrontierOfItsTime) {
  const bohr::Graph g = graph_of(
      "s: kernel a writes x\ns: record e\ns: kernel b writes x\nt: wait e\nt: kernel c reads y\n"
      "s: record e\nu: wait e\nu: kernel d reads y\n");
  EXPECT_EQ(links(g), (std::vector<Link>{{0, 1}, {0, 2}, {1, 3}}));
}

TEST(CaseCapture, WaitPassesOnWhatTheOtherWaitedFor) {
  // t records after a wait, with no node of its own in between.
  const bohr::Graph g = graph_of(
      "s: kernel a writes x\ns: record e\nt: wait e\nt: record e2\nu: wait e2\nu: kernel b reads "
      "x\n");
  EXPECT_EQ(links(g), (std::vector<Link>{{0, 1}}));
}

TEST(CaseCapture, EventsFromOutsideOrderNothing) {
  const Program p = must_read(kHead +
                              "s: kernel a writes x\nt: wait outside\nt: wait never\n"
                              "t: kernel b reads x\ns: record e\nend g\n"
                              "capture h on t\nt: wait e\nt: kernel c reads x\nend h\n"
                              "t: wait e\nhost: sync e\n");
  EXPECT_TRUE(p.graphs[0].edges.empty());
  EXPECT_TRUE(p.graphs[1].edges.empty());
  // Nor does one that was recorded inside a capture order anything outside.
  EXPECT_EQ(p.ops.size(), 3u);
  EXPECT_FALSE(p.ops[1].bound.valid());
  EXPECT_FALSE(p.ops[2].bound.valid());
}

TEST(CaseCapture, StreamsThatNeverJoinedHangOnNothing) {
  const bohr::Graph g =
      graph_of("s: kernel a writes x\nt: kernel b reads x\nt: kernel c reads x\n");
  EXPECT_EQ(links(g), (std::vector<Link>{{1, 2}}));
}

TEST(CaseCapture, RunsOfProgrammaticKernels) {
  const bohr::Graph g = graph_of(
      "s: kernel a writes x\ns: record e\ns: kernel b early reads x pdl\ns: kernel c pdl\n"
      "s: kernel d\n");
  EXPECT_EQ(links(g), (std::vector<Link>{{0, 1, kEarly}, {1, 2, kEarly}, {2, 3}}));
  EXPECT_TRUE(g.nodes[1].programmatic);
  EXPECT_TRUE(g.accesses[g.nodes[1].access_begin].early);
}

TEST(CaseCapture, WaitsAndOtherWorkMakeTheOrderFull) {
  const bohr::Graph g = graph_of(
      "s: kernel a writes x\nt: kernel b reads x\nt: record e\ns: wait e\ns: kernel c pdl\n"
      "s: fill f y\ns: kernel d pdl\ns: wait outside\ns: kernel h pdl\n");
  EXPECT_EQ(links(g), (std::vector<Link>{{0, 2}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}));
}

TEST(CaseCapture, AllocatorCallsDoNotSeparateProgrammaticKernels) {
  const bohr::Graph g = graph_of(
      "s: alloc w 4K\ns: kernel a writes w\nt: uses w\ns: free w\ns: alloc v 4K\n"
      "s: kernel b pdl\n");
  EXPECT_EQ(links(g), (std::vector<Link>{{0, 1, kEarly}}));
}

TEST(CaseCapture, FirstProgrammaticKernelAfterAForkIsFull) {
  const bohr::Graph g =
      graph_of("s: kernel a writes x\ns: record e\nt: wait e\nt: kernel b pdl\nt: kernel c pdl\n");
  EXPECT_EQ(links(g), (std::vector<Link>{{0, 1}, {1, 2, kEarly}}));
}

TEST(CaseCapture, MarksKnowWhereTheOwnerStands) {
  const Program p = must_read(kHead +
                              "s: alloc w 4K\ns: kernel a writes w\ns: record e\nt: wait e\n"
                              "t: kernel b reads w\ns: kernel c writes x\nt: free w\nend g\n");
  const bohr::Graph& g = p.graphs[0];
  ASSERT_EQ(g.marks.size(), 2u);
  EXPECT_EQ(g.marks[0].kind, MarkKind::alloc);
  EXPECT_EQ(g.marks[0].before, NodeId(0));
  EXPECT_TRUE(g.marks[0].frontier.empty());
  EXPECT_EQ(g.marks[1].kind, MarkKind::free);
  EXPECT_EQ(g.marks[1].before, NodeId(3));
  // The owner's frontier, whatever stream the free is written on.
  EXPECT_EQ(values(g.marks[1].frontier), (std::vector<int>{2}));
  const Lifetime& w = p.lifetimes.back();
  EXPECT_EQ(w.alloc.graph, GraphId(0));
  EXPECT_EQ(w.alloc.index, 0);
  EXPECT_EQ(w.free.index, 3);
  EXPECT_EQ(p.ops.size(), 1u);
}

TEST(CaseCapture, UsesInACaptureAddTheirFrontiers) {
  const Program p = must_read(kHead +
                              "s: alloc w 4K\ns: kernel a writes w\ns: record e\nt: wait e\n"
                              "t: kernel b reads w\nt: uses w\ns: kernel c writes x\n"
                              "@gc s: free w\nend g\n");
  EXPECT_EQ(values(p.graphs[0].marks[1].frontier), (std::vector<int>{1, 2}));
  EXPECT_TRUE(p.lifetimes.back().use_records.empty());
}

TEST(CaseCapture, UsesOutsideAreWaitedForOutside) {
  const Program p = must_read(
      "case 1\nstream s\nstream t\nbuffer x 4K\ns: alloc w 4K\nt: kernel a reads w\nt: uses w\n"
      "s: free w\ncapture g on s\ns: alloc v 4K over w\ns: kernel b writes v\nend g\n"
      "s: launch g\n");
  const Lifetime& w = p.lifetimes[1];
  ASSERT_EQ(w.use_records.size(), 1u);
  const Op& wait = p.ops[p.ops.size() - 2];
  EXPECT_EQ(wait.kind, OpKind::wait);
  EXPECT_TRUE(wait.hidden);
  EXPECT_EQ(wait.bound, w.use_records[0]);
  EXPECT_EQ(wait.stream, StreamId(0));
}

TEST(CaseCapture, ThreadsAndAgentsGoOnDuringACapture) {
  const Program p = must_read(kHead +
                              "gc: touch look reads y\ngc: signal done\nhost: await done\n"
                              "s: kernel a reads x\nend g\n");
  EXPECT_EQ(p.ops.size(), 4u);
  EXPECT_EQ(p.graphs[0].nodes.size(), 1u);
  EXPECT_EQ(p.accesses.size(), 1u);
  EXPECT_EQ(p.graphs[0].accesses.size(), 1u);
}

}  // namespace
}  // namespace bohr::trace

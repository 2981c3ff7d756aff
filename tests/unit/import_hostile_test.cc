// SPDX-License-Identifier: Apache-2.0
// Damaged logs: whatever the values, import ends with a program whose references hold.
#include <gtest/gtest.h>

#include <random>
#include <type_traits>

#include "log_builder.h"
#include "trace/import.h"

namespace bohr::trace {
namespace {

class Damage {
 public:
  explicit Damage(uint64_t seed) : random_(seed) {}
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  // Visits the fields of a record and changes about one in `rarity`.
  void operator()(const char*, std::string&) {}
  void operator()(const char*, Text& text) { (*this)("", text.id); }
  void operator()(const char*, Call& call) {
    (*this)("", call.seq), (*this)("", call.exit), (*this)("", call.thread),
        (*this)("", call.stack);
  }
  void operator()(const char*, bool& flag) {
    if (hit()) flag = !flag;
  }
  void operator()(const char*, Bytes& bytes) {
    if (hit()) bytes.resize(below(200));
  }
  void operator()(const char*, Numbers& numbers) {
    if (hit()) numbers.resize(below(20));
    for (uint64_t& n : numbers) (*this)("", n);
  }
  template <class T>
  void operator()(const char*, T& value) {
    if (!hit()) return;
    if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(below(5));
    else
      value = static_cast<T>(interesting());
  }

 private:
  bool hit() { return below(12) == 0; }
  uint64_t interesting() {
    static constexpr uint64_t kValues[] = {0,
                                           1,
                                           2,
                                           3,
                                           4,
                                           5,
                                           7,
                                           9,
                                           0x7f0000001000,
                                           0x7f0000001008,
                                           0xffffffff,
                                           0x7fffffff,
                                           ~uint64_t{0},
                                           ~uint64_t{0} - 7,
                                           uint64_t{1} << 63};
    return kValues[below(std::size(kValues))];
  }
  std::mt19937_64 random_;
};

LogBuilder whole_log() {
  LogBuilder b;
  const uint32_t s = b.stream();
  const uint32_t t = b.stream(StreamType::legacy);
  const uint32_t k = b.function("_Z1kPKfPf", {8, 8});
  constexpr uint64_t kAt = 0x7f0000001000;
  b.stack = b.python_stack("a.py", 3);
  b.mem_alloc(kAt, 0x100000);
  b.mem_alloc(0x7f0001000000, 0x1000, Layer::stream_ordered, s);
  b.mem_free(0x7f0001000000, Layer::stream_ordered, s);
  b.mem_alloc(0x7f0001000000, 0x800, Layer::stream_ordered, t);
  b.block_alloc(kAt, 0x1000, s);
  b.kernel(s, k, {kAt, kAt + 8});
  b.copy(s, kAt, Memory::device, 0x900, Memory::pageable, 64);
  b.set(t, kAt, 64);
  b.event_record(7, 1, s);
  b.event_wait(7, 1, t);
  b.add(HostSync{b.call(), SyncKind::event, 0, 7, 1, 0});
  b.add(HostSync{b.call(), SyncKind::context, 0, 0, 0, 1});
  b.block_free(kAt, 0x1000, s);
  b.capture_begin(1, s);
  b.block_alloc(kAt, 0x800, s, 1);
  std::vector<Node> nodes = {b.kernel_node(s, k, {kAt, kAt}), b.node(4, s), b.node(1, s),
                             b.node(2, s), b.node(10, s)};
  nodes[1].child = 5;
  b.event_record(8, 1, s, 1);
  b.event_wait(8, 1, t, 1);
  b.block_free(kAt, 0x800, s, 1);
  b.capture_end(1, s, 4);
  Graph child = b.graph(5, 0, {b.kernel_node(s, k, {kAt, 0}), b.node(13, s)}, {{0, 1}});
  child.parent = 4;
  child.parent_node = 1;
  b.add(child);
  b.add_graph(4, 1, nodes, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  b.exec(1, 4);
  b.launch(1, s);
  b.add(ExecChange{b.call(), 1, 5, b.text("cuGraphExecUpdate")});
  b.launch(1, t);
  b.add(Segment{0, kAt, 0x1000, s, 0, 0});
  b.add(Unmodelled{b.call(), s, b.text("x"), true});
  b.add(End{b.seq, 1});
  return b;
}

void expect_accesses(const Program& program, const std::vector<Op>& ops,
                     const std::vector<Access>& accesses) {
  for (const Op& op : ops) ASSERT_LE(uint64_t{op.access_begin} + op.access_count, accesses.size());
  for (const Access& access : accesses) {
    ASSERT_TRUE(access.lifetime.valid());
    ASSERT_LT(access.lifetime.index(), program.lifetimes.size());
    const Piece& piece = program.lifetimes[access.lifetime.index()].pieces.at(0);
    ASSERT_TRUE(piece.range.contains(access.range));
    ASSERT_EQ(access.range.begin - piece.range.begin, access.offset);
    ASSERT_FALSE(access.range.empty());
  }
}

template <class Id, class List>
void expect_in(Id id, const List& list) {
  ASSERT_TRUE(!id.valid() || id.index() < list.size());
}

void expect_whole(const Program& program) {
  expect_accesses(program, program.ops, program.accesses);
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    expect_in(op.stream, program.streams);
    expect_in(op.target, program.streams);
    expect_in(op.actor, program.actors);
    expect_in(op.label, program.names);
    expect_in(op.lifetime, program.lifetimes);
    expect_in(op.graph, program.graphs);
    expect_in(op.stack, program.stacks);
    ASSERT_LT(op.exec.value(), program.exec_count);
    ASSERT_TRUE(!op.bound.valid() || op.bound.index() < i);
    ASSERT_TRUE(op.kind != OpKind::launch || (op.graph.valid() && op.exec.valid()));
  }
  for (const bohr::Graph& graph : program.graphs) {
    expect_accesses(program, graph.nodes, graph.accesses);
    ASSERT_EQ(graph.recorded_nodes.size(), graph.nodes.size());
    for (const Edge& edge : graph.edges) {
      ASSERT_LT(edge.from.index(), graph.nodes.size());
      ASSERT_LT(edge.to.index(), graph.nodes.size());
    }
    for (const Mark& mark : graph.marks) {
      ASSERT_LE(mark.before.index(), graph.nodes.size());
      expect_in(mark.lifetime, program.lifetimes);
      for (const NodeId node : mark.frontier) ASSERT_LT(node.index(), graph.nodes.size());
    }
  }
  for (const Lifetime& lifetime : program.lifetimes)
    for (const Point& point : {lifetime.alloc, lifetime.free}) {
      if (!point.known()) continue;
      const size_t end = point.graph.valid() ? program.graphs.at(point.graph.index()).nodes.size()
                                             : program.ops.size();
      ASSERT_LE(static_cast<size_t>(point.index), end);
    }
}

TEST(ImportHostile, TheWholeLogIsUnderstood) {
  Result<Program> program = import_log(whole_log().log);
  ASSERT_TRUE(program.ok());
  expect_whole(program.value());
  EXPECT_GE(program.value().graphs.size(), 2u);
}

TEST(ImportHostile, DamagedFieldsNeverBreakAReference) {
  const LogBuilder whole = whole_log();
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Damage damage(seed);
    Log log = whole.log;
    for (Record& record : log.records)
      std::visit([&](auto& r) { std::decay_t<decltype(r)>::fields(damage, r); }, record);
    Result<Program> program = import_log(log);
    ASSERT_TRUE(program.ok());
    expect_whole(program.value());
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(ImportHostile, LostRecordsAndAnotherOrderNeverBreakAReference) {
  const LogBuilder whole = whole_log();
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Damage damage(seed);
    Log log = whole.log;
    for (int i = 0; i < 6; ++i) {
      const size_t at = damage.below(log.records.size());
      if (i % 2 == 0)
        log.records.erase(log.records.begin() + static_cast<int64_t>(at));
      else
        std::swap(log.records[at], log.records[damage.below(log.records.size())]);
    }
    Result<Program> program = import_log(log);
    ASSERT_TRUE(program.ok());
    expect_whole(program.value());
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(ImportHostile, TheOrderOfRecordsInTheLogDoesNotMatter) {
  const LogBuilder whole = whole_log();
  const Program expected = import_log(whole.log).value();
  Log reversed = whole.log;
  std::reverse(reversed.records.begin(), reversed.records.end());
  const Program program = import_log(reversed).value();
  ASSERT_EQ(program.ops.size(), expected.ops.size());
  for (size_t i = 0; i < program.ops.size(); ++i) {
    EXPECT_EQ(program.ops[i].kind, expected.ops[i].kind);
    EXPECT_EQ(program.ops[i].access_count, expected.ops[i].access_count);
  }
  EXPECT_EQ(program.lifetimes.size(), expected.lifetimes.size());
}

TEST(ImportHostile, NoRecordsAtAllAreAnEmptyProgram) {
  const Program program = import_log(Log{"none", {""}, {}}).value();
  EXPECT_TRUE(program.ops.empty());
}

TEST(ImportHostile, TransfersOfAbsurdSizesAreLeftOut) {
  LogBuilder b;
  const uint32_t s = b.stream();
  Copy copy;
  copy.call = b.call();
  copy.stream = s;
  copy.width = ~uint64_t{0};
  copy.height = ~uint64_t{0};
  copy.src_pitch = copy.dst_pitch = 3;
  b.add(copy);
  copy.call = b.call();
  copy.width = 8;
  copy.depth = ~uint64_t{0};
  copy.src_slice = copy.dst_slice = uint64_t{1} << 60;
  b.add(copy);
  const Program program = import_log(b.log).value();
  EXPECT_TRUE(program.accesses.empty());
  for (const Op& op : program.ops) EXPECT_TRUE(op.unknown);
}

}  // namespace
}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Symbolic memory on programs made by hand: what it sees, what it calls an output, and what must
// not matter to it.
#include <gtest/gtest.h>

#include "replay/symbolic/memory.h"

namespace bohr::replay {
namespace {

struct Spec {
  LifetimeId lifetime;
  uint64_t begin;
  uint64_t end;
  AccessMode mode;
  bool early = false;
};

// A program of one stream, with lifetimes of 100 bytes each.
struct Builder {
  Program program;

  LifetimeId lifetime(bool buffer = true) {
    Lifetime made;
    const uint64_t base = 1000 * (program.lifetimes.size() + 1);
    made.bytes = 100;
    made.buffer = buffer;
    made.pieces = {{{base, base + 100}, 0}};
    program.lifetimes.push_back(made);
    return LifetimeId(program.lifetimes.size() - 1);
  }
  Op make(OpKind kind, const std::string& label, const std::vector<Spec>& specs,
          std::vector<Access>* accesses) {
    Op op;
    op.kind = kind;
    op.label = NameId(program.names.size());
    program.names.push_back(label);
    op.access_begin = static_cast<uint32_t>(accesses->size());
    op.access_count = static_cast<uint32_t>(specs.size());
    for (const Spec& spec : specs) {
      Access access;
      const uint64_t base = program.lifetimes[spec.lifetime.index()].pieces[0].range.begin;
      access.range = {base + spec.begin, base + spec.end};
      access.offset = spec.begin;
      access.lifetime = spec.lifetime;
      access.mode = spec.mode;
      access.early = spec.early;
      accesses->push_back(access);
    }
    return op;
  }
  Op& kernel(const std::string& label, const std::vector<Spec>& specs) {
    program.ops.push_back(make(OpKind::kernel, label, specs, &program.accesses));
    return program.ops.back();
  }
};

constexpr AccessMode kRead = AccessMode::read;
constexpr AccessMode kWrite = AccessMode::write;
constexpr AccessMode kUpdate = AccessMode::update;
constexpr AccessMode kAtomic = AccessMode::atomic;

using Order = std::vector<int32_t>;

TEST(SymbolicMemory, OrderOfConflictingWritesChangesLogAndOutputs) {
  Builder b;
  const LifetimeId x = b.lifetime();
  b.kernel("first", {{x, 0, 100, kWrite}});
  b.kernel("second", {{x, 0, 100, kWrite}});
  SymbolicMemory memory(b.program);
  const SymbolicOutcome forward = memory.run(Order{0, 1});
  const SymbolicOutcome backward = memory.run(Order{1, 0});
  EXPECT_NE(forward.log, backward.log);
  EXPECT_NE(forward.outputs, backward.outputs);
  EXPECT_EQ(memory.run(Order{0, 1}), forward);  // nothing is left over from the run between
}

TEST(SymbolicMemory, AReadThatLeadsNowhereChangesTheLogAlone) {
  Builder b;
  const LifetimeId x = b.lifetime();
  b.kernel("writer", {{x, 0, 100, kWrite}});
  b.kernel("reader", {{x, 50, 60, kRead}});
  SymbolicMemory memory(b.program);
  const SymbolicOutcome forward = memory.run(Order{0, 1});
  const SymbolicOutcome backward = memory.run(Order{1, 0});
  EXPECT_NE(forward.log, backward.log);
  EXPECT_EQ(forward.outputs, backward.outputs);
}

TEST(SymbolicMemory, RangesThatOnlyTouchDoNotMeet) {
  Builder b;
  const LifetimeId x = b.lifetime();
  b.kernel("low", {{x, 0, 50, kUpdate}});
  b.kernel("high", {{x, 50, 100, kUpdate}});
  SymbolicMemory memory(b.program);
  const SymbolicOutcome forward = memory.run(Order{0, 1});
  EXPECT_EQ(memory.run(Order{1, 0}), forward);
}

TEST(SymbolicMemory, OverlapOfOneByteIsSeen) {
  Builder b;
  const LifetimeId x = b.lifetime();
  b.kernel("low", {{x, 0, 51, kWrite}});
  b.kernel("high", {{x, 50, 100, kWrite}});
  SymbolicMemory memory(b.program);
  const SymbolicOutcome forward = memory.run(Order{0, 1});
  EXPECT_NE(memory.run(Order{1, 0}), forward);
}

TEST(SymbolicMemory, AtomicsCommuteButNotWithReadersAndWriters) {
  for (const AccessMode other : {kAtomic, kRead, kWrite, kUpdate}) {
    Builder b;
    const LifetimeId x = b.lifetime();
    const LifetimeId y = b.lifetime();
    b.kernel("atomic", {{x, 0, 100, kAtomic}});
    b.kernel("other", {{x, 0, 100, other}, {y, 0, 4, kWrite}});
    SymbolicMemory memory(b.program);
    const SymbolicOutcome forward = memory.run(Order{0, 1});
    const SymbolicOutcome backward = memory.run(Order{1, 0});
    EXPECT_EQ(forward.log == backward.log, other == kAtomic);
    EXPECT_EQ(forward.outputs == backward.outputs, other == kAtomic);
  }
}

TEST(SymbolicMemory, AnAtomicIsSeenByALaterRead) {
  Builder b;
  const LifetimeId x = b.lifetime();
  const LifetimeId y = b.lifetime();
  b.kernel("one", {{x, 0, 100, kAtomic}});
  b.kernel("two", {{x, 0, 100, kAtomic}});
  b.kernel("sum", {{x, 0, 100, kRead}, {y, 0, 100, kWrite}});
  SymbolicMemory memory(b.program);
  const SymbolicOutcome all = memory.run(Order{0, 1, 2});
  EXPECT_EQ(memory.run(Order{1, 0, 2}), all);
  EXPECT_NE(memory.run(Order{0, 2, 1}).outputs, all.outputs);
}

TEST(SymbolicMemory, ScratchAndFreedMemoryIsNoOutput) {
  for (const bool scratch : {false, true}) {
    for (const bool freed : {false, true}) {
      for (const bool live : {false, true}) {
        Builder b;
        const LifetimeId x = b.lifetime(/*buffer=*/!freed);
        b.kernel("first", {{x, 0, 100, kWrite}});
        b.kernel("second", {{x, 0, 100, kWrite}});
        Lifetime& lifetime = b.program.lifetimes[0];
        lifetime.scratch = scratch;
        lifetime.live = live;
        if (freed) lifetime.free.index = 1;
        SymbolicMemory memory(b.program);
        const uint64_t forward = memory.run(Order{0, 1}).outputs;
        const uint64_t backward = memory.run(Order{1, 0}).outputs;
        EXPECT_EQ(forward != backward, live || (!scratch && !freed));
      }
    }
  }
}

TEST(SymbolicMemory, AnAllocationNeverFreedIsAnOutput) {
  Builder b;
  const LifetimeId x = b.lifetime(/*buffer=*/false);
  b.kernel("first", {{x, 0, 100, kWrite}});
  b.kernel("second", {{x, 0, 100, kWrite}});
  b.program.lifetimes[0].free.index = 2;  // past the last op: never
  SymbolicMemory memory(b.program);
  const uint64_t forward = memory.run(Order{0, 1}).outputs;
  EXPECT_NE(memory.run(Order{1, 0}).outputs, forward);
}

TEST(SymbolicMemory, AKernelsWritesDependOnItsEarlyReads) {
  Builder b;
  const LifetimeId x = b.lifetime();
  const LifetimeId y = b.lifetime();
  b.kernel("producer", {{x, 0, 100, kWrite}});
  b.kernel("consumer", {{x, 0, 100, kRead, true}, {y, 0, 100, kWrite}}).programmatic = true;
  SymbolicMemory memory(b.program);
  ASSERT_EQ(memory.steps().size(), 3u);
  EXPECT_EQ(memory.steps()[1].part, Part::early);
  EXPECT_EQ(memory.steps()[2].part, Part::rest);
  const SymbolicOutcome waited = memory.run(Order{0, 1, 2});
  const SymbolicOutcome raced = memory.run(Order{1, 0, 2});
  EXPECT_NE(waited.outputs, raced.outputs);
}

TEST(SymbolicMemory, ACopyWritesWhatItsSourceHeldAtTheCall) {
  Builder b;
  const LifetimeId host = b.lifetime();
  const LifetimeId device = b.lifetime();
  Op& copy = b.kernel("upload", {{host, 0, 100, kRead}, {device, 0, 100, kWrite}});
  copy.kind = OpKind::copy;
  copy.host_return = HostReturn::after_source_read;
  b.kernel("refill", {{host, 0, 100, kWrite}}).kind = OpKind::touch;
  SymbolicMemory memory(b.program);
  ASSERT_EQ(memory.steps().size(), 3u);
  const SymbolicOutcome copied = memory.run(Order{0, 1, 2});
  EXPECT_EQ(memory.run(Order{0, 2, 1}), copied);  // the source may be rewritten once it is read
  EXPECT_NE(memory.run(Order{2, 0, 1}).outputs, copied.outputs);
}

// One graph of two nodes, launched twice.
Program launched_twice() {
  Builder b;
  const LifetimeId x = b.lifetime();
  Graph graph;
  graph.nodes.push_back(b.make(OpKind::kernel, "reset", {{x, 0, 100, kWrite}}, &graph.accesses));
  graph.nodes.push_back(b.make(OpKind::kernel, "step", {{x, 0, 100, kUpdate}}, &graph.accesses));
  b.program.graphs.push_back(graph);
  for (int launch = 0; launch < 2; ++launch) {
    Op op;
    op.kind = OpKind::launch;
    op.graph = GraphId(0);
    op.exec = ExecId(0);
    b.program.ops.push_back(op);
  }
  return b.program;
}

TEST(SymbolicMemory, ALaunchRunsItsNodesAgainWithTheSameValues) {
  const Program twice = launched_twice();
  Program once = twice;
  once.ops.pop_back();
  SymbolicMemory two(twice);
  SymbolicMemory one(once);
  ASSERT_EQ(two.steps().size(), 4u);
  EXPECT_EQ(two.steps()[3], (Step{OpId(1), NodeId(1), Part::whole}));
  EXPECT_EQ(two.run(Order{0, 1, 2, 3}).outputs, one.run(Order{0, 1}).outputs);
}

TEST(SymbolicMemory, TheLogTellsLaunchesApart) {
  const Program twice = launched_twice();
  SymbolicMemory memory(twice);
  const SymbolicOutcome first_then_second = memory.run(Order{0, 1, 2, 3});
  const SymbolicOutcome second_then_first = memory.run(Order{2, 3, 0, 1});
  EXPECT_EQ(first_then_second.outputs, second_then_first.outputs);
  EXPECT_NE(first_then_second.log, second_then_first.log);
}

TEST(SymbolicRun, TakesAScheduleByName) {
  const Program program = launched_twice();
  const std::vector<Step> issue_order = steps_of(program);
  const Result<SymbolicOutcome> right = run(program, issue_order);
  ASSERT_TRUE(right.ok());
  std::vector<Step> swapped = issue_order;
  std::swap(swapped[2], swapped[3]);
  const Result<SymbolicOutcome> wrong = run(program, swapped);
  ASSERT_TRUE(wrong.ok());
  EXPECT_NE(right.value().outputs, wrong.value().outputs);
}

TEST(SymbolicRun, RefusesAScheduleOfAnotherProgram) {
  const Program program = launched_twice();
  std::vector<Step> schedule = steps_of(program);
  schedule.push_back(schedule.front());
  EXPECT_EQ(run(program, schedule).error().code, "schedule-steps");
  schedule.resize(3);
  EXPECT_EQ(run(program, schedule).error().code, "schedule-steps");
  schedule.push_back({OpId(7), NodeId(0), Part::whole});
  EXPECT_EQ(run(program, schedule).error().code, "schedule-steps");
}

}  // namespace
}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
// Blocks placed among calls that did not see them: what is decided, what is left open, and that no
// use is ever given to another block than it had.
#include "trace/add_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "check/check.h"
#include "log_builder.h"
#include "trace/import.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kSegment = 0x7f0000000000;
constexpr uint64_t kA = kSegment, kB = kSegment + 0x1000;
constexpr uint64_t kBytes = 0x800;

// Number n is taken at kStart + n * kStep; what happens behind it, half a step later.
constexpr uint64_t kStart = 1'700'000'000'000'000'000, kStep = 200'000;

Clock clock_of(uint64_t numbers) {
  Clock clock;
  clock.seq = 1;
  clock.unix_ns = kStart + kStep;
  clock.seqs.assign(numbers, 1);
  clock.times.assign(numbers, kStep);
  return clock;
}
uint64_t time_behind(uint64_t number) { return kStart + number * kStep + kStep / 2; }
// Just ahead of the next number, and just behind this one.
uint64_t time_ahead(uint64_t number) { return kStart + (number + 1) * kStep - 6'000; }
uint64_t time_after(uint64_t number) { return kStart + number * kStep + 6'000; }

struct AddHistory : ::testing::Test {
  AddHistory() : k(b.function("_Z1kPf", {8})), k2(b.function("_Z2kkPfS_", {8, 8})) {
    history.source = "history";
    history.allocator = "RMM";
    s = stream(0x500);
    t = stream(0x600);
    b.mem_alloc(kSegment, 0x200000);
  }

  uint32_t stream(uint64_t handle, StreamType type = StreamType::nonblocking) {
    const uint32_t number = b.stream(type);
    b.add(StreamHandle{number, handle});
    return number;
  }
  void event(HistoryAction action, uint64_t address, uint64_t stream = 0x500,
             uint64_t bytes = kBytes) {
    HistoryEvent one;
    one.action = action;
    one.address = address;
    one.bytes = bytes;
    one.stream = stream;
    if (timed) one.time_ns = time_behind(b.seq);
    history.events.push_back(one);
  }
  void alloc(uint64_t address, uint64_t stream = 0x500) {
    event(HistoryAction::alloc, address, stream);
  }
  void free(uint64_t address, uint64_t stream = 0x500) {
    event(HistoryAction::free_requested, address, stream);
    event(HistoryAction::free_completed, address, stream);
  }
  // A block that is written as soon as it is there, and given back as soon as it was read: that
  // confirms the times to some microseconds.
  void confirm_times() {
    alloc(kSegment + 0x10000);
    history.events.back().time_ns = time_ahead(b.seq);
    b.kernel(s, k, {kSegment + 0x10000});
    free(kSegment + 0x10000);
    for (size_t i = 2; i > 0; --i)
      history.events[history.events.size() - i].time_ns = time_after(b.seq - 1);
  }
  void run() {
    if (timed) b.add(clock_of(b.seq));
    auto result = add_history(b.log, history);
    ASSERT_TRUE(result.ok()) << to_string(result.error());
    added = std::move(result).value();
    auto imported = import_log(added.log);
    ASSERT_TRUE(imported.ok());
    program = std::move(imported).value();
    auto checked = check::check(program, {});
    ASSERT_TRUE(checked.ok()) << to_string(checked.error());
    verdict = std::move(checked).value();
  }
  std::string refusal() const {
    const auto result = add_history(b.log, history);
    return result.ok() ? "" : result.error().code;
  }
  int64_t count(const std::string& reason) const {
    int64_t n = 0;
    for (const bohr::Diagnostic& d : program.diagnostics) n += d.reason == reason ? d.count : 0;
    return n;
  }
  std::vector<std::string> findings() const {
    std::vector<std::string> lines;
    for (const Finding& f : verdict.findings)
      lines.push_back(f.first.label + " | " + f.second.label + " | " + to_string(f.cls));
    return lines;
  }
  void order(uint32_t from, uint32_t to) {
    b.event_record(++events, 1, from);
    b.event_wait(events, 1, to);
  }

  bool timed = false;
  LogBuilder b;
  uint32_t k, k2, s, t;
  uint32_t events = 0;
  AllocatorHistory history;
  AddedHistory added;
  Program program;
  Verdict verdict;
};

using Lines = std::vector<std::string>;

TEST_F(AddHistory, AReuseThatNobodyOrderedIsFound) {
  alloc(kA), alloc(kB), free(kA), alloc(kA);
  b.kernel(s, k2, {kA, kB});
  b.kernel(t, k2, {kB, kA});  // still uses the first
  b.event_record(9, 1, s);    // unrelated
  b.kernel(s, k, {kB});
  free(kB), alloc(kB + 0x4000), free(kB + 0x4000);
  run();
  EXPECT_EQ(added.left_out, 1 + 1) << "which of the two at the first address is open";
}

// The uses of other blocks tell the two apart.
TEST_F(AddHistory, OtherBlocksTellWhichHandOutIsMeant) {
  alloc(kA), alloc(kB);
  b.kernel(s, k2, {kA, kB});
  order(s, t);
  b.kernel(t, k2, {kA, kB});
  free(kA), free(kB);
  alloc(kB + 0x1000);
  alloc(kA);
  b.kernel(s, k2, {kA, kB + 0x1000});
  run();
  EXPECT_EQ(added.left_out, 0);
  EXPECT_EQ(added.blocks, 4);
  EXPECT_EQ(findings(), (Lines{"kk | kk | reuse", "kk | block 3 (2 KiB) | lifetime"}));
}

TEST_F(AddHistory, OtherBlocksTellWhichHandOutIsMeantInOrder) {
  alloc(kA), alloc(kB);
  b.kernel(s, k2, {kA, kB});
  order(s, t);
  b.kernel(t, k2, {kA, kB});
  order(t, s);
  free(kA), free(kB);
  alloc(kB + 0x1000);
  alloc(kA);
  b.kernel(s, k2, {kA, kB + 0x1000});
  run();
  EXPECT_EQ(added.left_out, 0);
  EXPECT_EQ(findings(), Lines{});
  EXPECT_EQ(count("allocator-order-unknown"), 0);
}

TEST_F(AddHistory, TwoHandOutsThatOneUseMightMeanAreLeftOut) {
  alloc(kA), free(kA), alloc(kA);
  b.kernel(s, k, {kA});
  alloc(kB);
  b.kernel(s, k, {kB});
  run();
  EXPECT_EQ(added.left_out, 2);
  EXPECT_EQ(added.blocks, 1);
  EXPECT_EQ(count("allocator-order-unknown"), 1);
}

// A free before a wait and one behind it are two programs, and one of them is wrong.
TEST_F(AddHistory, AFreeThatMayStandBeforeOrBehindAWaitIsPlacedLateAndCounted) {
  alloc(kA);
  b.kernel(s, k, {kA});
  order(s, t);
  b.kernel(t, k, {kA});
  order(t, s);
  free(kA), alloc(kB);
  b.kernel(s, k, {kB});
  run();
  EXPECT_EQ(added.frees_open, 1);
  EXPECT_EQ(count("free-order-unknown"), 1);
  EXPECT_EQ(findings(), Lines{});
  const Coverage& lifetime = verdict.coverage[static_cast<size_t>(HazardClass::lifetime)];
  const Coverage& reuse = verdict.coverage[static_cast<size_t>(HazardClass::reuse)];
  EXPECT_EQ(lifetime.state, CoverageState::undecided);
  EXPECT_EQ(reuse.state, CoverageState::complete);
}

TEST_F(AddHistory, AFreeThatIsTooEarlyWhereverItStandsIsFound) {
  alloc(kA);
  b.kernel(s, k, {kA});
  order(s, t);
  b.kernel(t, k, {kA});
  free(kA), alloc(kB);
  b.kernel(s, k, {kB});
  run();
  EXPECT_EQ(added.frees_open, 0);
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_NE(findings()[0].find("lifetime"), std::string::npos);
}

TEST_F(AddHistory, TheStreamThatABlockIsGivenBackOnHasItsBytesNext) {
  alloc(kA);
  b.kernel(s, k, {kA});
  order(s, t);
  b.kernel(t, k, {kA});
  free(kA, 0x600), alloc(kB);
  b.kernel(s, k, {kB});
  run();
  EXPECT_EQ(findings(), Lines{});
}

TEST_F(AddHistory, AHistoryOfAnotherRunIsRefused) {
  alloc(kA), free(kA), alloc(kB);
  b.kernel(s, k, {kB});
  b.kernel(s, k, {kA});
  EXPECT_EQ(refusal(), "history-mismatch");
}

TEST_F(AddHistory, AHistoryThatNoCallNamesIsRefused) {
  alloc(0x123000), free(0x123000);
  b.kernel(s, k, {kA});
  EXPECT_EQ(refusal(), "history-mismatch");
}

TEST_F(AddHistory, SegmentsWhoseBeginIsNotToldAreLeftOut) {
  history.tells_segments = true;
  history.allocator = "PyTorch";
  alloc(kA);
  event(HistoryAction::segment_alloc, kSegment + 0x400000, 0x500, 0x200000);
  event(HistoryAction::alloc, kSegment + 0x400000);
  b.kernel(s, k, {kA});
  b.mem_alloc(kSegment + 0x400000, 0x200000);
  b.kernel(s, k, {kSegment + 0x400000});
  run();
  EXPECT_EQ(added.left_out, 1);
  EXPECT_EQ(added.blocks, 1);
}

// Without the anchor the first use might be of either hand-out.
TEST_F(AddHistory, ANewSegmentSaysWhereItsEventsStand) {
  history.tells_segments = true;
  history.allocator = "PyTorch";
  event(HistoryAction::segment_alloc, kSegment, 0x500, 0x200000);
  alloc(kA), free(kA);
  event(HistoryAction::segment_alloc, kSegment + 0x400000, 0x500, 0x200000);
  alloc(kA);
  b.kernel(s, k, {kA});
  b.mem_alloc(kSegment + 0x400000, 0x200000);
  b.kernel(s, k, {kA});
  run();
  EXPECT_EQ(added.left_out, 0);
  EXPECT_EQ(added.blocks, 2);
}

TEST_F(AddHistory, MemoryOfAPrivatePoolIsHandedOutInTheCapture) {
  for (HistoryAction action : {HistoryAction::alloc, HistoryAction::alloc}) event(action, kA);
  history.events[1].address = kB;
  for (HistoryEvent& one : history.events) one.pool_known = true;
  history.events[1].pool_b = 4;
  b.kernel(s, k, {kA});
  b.capture_begin(1, s);
  const Node node = b.kernel_node(s, k2, {kA, kB});
  b.capture_end(1, s, 1);
  b.add_graph(1, 1, {node}, {});
  b.exec(1, 1);
  b.launch(1, s);
  run();
  EXPECT_EQ(added.left_out, 0);
  int in_graph = 0;
  for (const Lifetime& lifetime : program.lifetimes) in_graph += lifetime.alloc.graph.valid();
  EXPECT_EQ(in_graph, 1);
}

TEST_F(AddHistory, ACaptureThatMayHoldAnAllocationOrNotLeavesItOut) {
  alloc(kA);
  b.capture_begin(1, s);
  const Node node = b.kernel_node(s, k, {kA});
  b.capture_end(1, s, 1);
  b.add_graph(1, 1, {node}, {});
  alloc(kB);
  history.events[1].pool_known = true;
  b.kernel(s, k, {kB});
  run();
  EXPECT_EQ(added.left_out, 1);
  EXPECT_EQ(added.blocks, 1);
}

TEST_F(AddHistory, StreamsThatTheRecordingDoesNotKnowLeaveTheirBlocksOut) {
  alloc(kA, 0x999), alloc(kB);
  b.kernel(s, k2, {kA, kB});
  run();
  EXPECT_EQ(added.left_out, 1);
  EXPECT_EQ(count("allocator-order-unknown"), 1);
}

TEST_F(AddHistory, RefusesWhatHasItsBlocksAndWhatHasNoHandles) {
  alloc(kA);
  b.kernel(s, k, {kA});
  EXPECT_EQ(refusal(), "");
  LogBuilder without;
  without.kernel(without.stream(), without.function("_Z1kPf", {8}), {kA});
  EXPECT_EQ(add_history(without.log, history).error().code, "history-handles");
  b.block_alloc(kA, kBytes, s);
  EXPECT_EQ(refusal(), "history-known");
}

TEST_F(AddHistory, RefusesWhatTheDriverItselfHandedOut) {
  b.mem_alloc(kB, kBytes, Layer::stream_ordered, s);
  alloc(kB);
  b.kernel(s, k, {kB});
  EXPECT_EQ(refusal(), "history-known");
}

// Each layer hands out the same addresses as the others; times tell them apart.
TEST_F(AddHistory, LayersOfAModelAreToldApart) {
  timed = true;
  confirm_times();
  const uint64_t y = kSegment + 0x2000, out = kSegment + 0x3000;
  uint64_t x = kA, next = kB;
  alloc(x);
  b.kernel(s, k, {x});
  for (int layer = 0; layer < 50; ++layer) {
    alloc(y);
    b.kernel(s, k2, {x, y});
    alloc(out);
    b.kernel(s, k2, {y, out});
    free(y);
    alloc(next);
    b.kernel(s, k2, {out, next});
    free(out), free(x);
    std::swap(x, next);
  }
  run();
  EXPECT_EQ(added.left_out, 0);
  EXPECT_EQ(added.blocks, 2 + 50 * 3);
  EXPECT_EQ(findings(), Lines{});
}

// Bytes that one layer hands out twice: which of its calls meant which is not told by addresses.
TEST_F(AddHistory, WhatALayerHandsOutTwiceIsLeftOut) {
  const uint64_t y = kSegment + 0x2000, out = kSegment + 0x3000;
  alloc(kA), alloc(y);
  b.kernel(s, k2, {kA, y});
  free(y), alloc(y);
  b.kernel(s, k2, {kA, y});
  alloc(out);
  b.kernel(s, k2, {kA, out});
  run();
  EXPECT_EQ(added.left_out, 2);
  EXPECT_EQ(added.blocks, 2);
  EXPECT_EQ(count("allocator-order-unknown"), 1) << "one range";
}

TEST_F(AddHistory, TimesTellWhatALayerHandsOutTwice) {
  timed = true;
  confirm_times();
  const uint64_t y = kSegment + 0x2000;
  alloc(kA), alloc(y);
  b.kernel(s, k2, {kA, y});
  free(y), alloc(y);
  b.kernel(t, k2, {kA, y});
  run();
  EXPECT_EQ(added.left_out, 0);
  EXPECT_EQ(added.frees_open, 0);
  const Lines found = findings();
  EXPECT_NE(std::find(found.begin(), found.end(), "kk | kk | reuse"), found.end());
}

TEST_F(AddHistory, TimesTellAFreeBeforeAWaitFromOneBehindIt) {
  timed = true;
  confirm_times();
  for (const bool behind : {false, true}) {
    const uint64_t a = behind ? kA + 0x4000 : kA;
    alloc(a);
    b.kernel(s, k, {a});
    order(s, t);
    b.kernel(t, k, {a});
    if (!behind) free(a);
    order(t, s);
    if (behind) free(a);
    alloc(kB);
    b.kernel(s, k, {kB});
    free(kB);
  }
  run();
  EXPECT_EQ(added.frees_open, 0);
  EXPECT_EQ(added.left_out, 0);
  ASSERT_EQ(findings().size(), 1u) << "the first one";
}

// Where no call shows that the times are right, they are as good as none.
TEST_F(AddHistory, TimesThatNoCallConfirmsAreNotBelieved) {
  timed = true;
  const uint64_t y = kSegment + 0x2000;
  alloc(kA), alloc(y);
  b.kernel(s, k2, {kA, y});
  free(y), alloc(y);
  b.kernel(t, k2, {kA, y});
  run();
  EXPECT_EQ(added.left_out, 2);
}

TEST_F(AddHistory, AClockThatWasSetIsNotBelieved) {
  timed = true;
  alloc(kA), alloc(kB);
  b.kernel(s, k2, {kA, kB});
  free(kB);
  alloc(kB + 0x1000);
  b.kernel(s, k2, {kA, kB + 0x1000});
  for (HistoryEvent& one : history.events) one.time_ns -= 3'600'000'000'000;
  run();
  EXPECT_EQ(added.left_out, 0);
  EXPECT_EQ(added.blocks, 3);
}

// Lines of RMM have the time of day of a zone that they do not name.
TEST_F(AddHistory, TheZoneOfTimesOfDayFollowsFromTheRecording) {
  timed = true;
  history.times_of_day = true;
  confirm_times();
  const uint64_t y = kSegment + 0x2000, day = 86'400'000'000'000;
  alloc(kA), alloc(y);
  b.kernel(s, k2, {kA, y});
  free(y), alloc(y);
  b.kernel(t, k2, {kA, y});
  for (HistoryEvent& one : history.events) one.time_ns = (one.time_ns + 5'400'000'000'000) % day;
  run();
  EXPECT_EQ(added.left_out, 0);
}

// --- at random: an allocator that reuses what fits first, kernels that name a few blocks

struct RandomRun {
  RandomRun(uint32_t seed, uint32_t of_eight) : filled(of_eight), random(seed) {
    for (uint64_t handle = 0x500; handle < 0x503; ++handle) {
      streams.push_back(b.stream());
      b.add(StreamHandle{streams.back(), handle});
    }
    for (size_t n = 1; n <= 3; ++n)
      kernels.push_back(b.function("_Z1k" + std::string("P"[0] + std::string("f")) +
                                       (n > 1 ? "S_" : "") + (n > 2 ? "S_" : ""),
                                   std::vector<uint64_t>(n, 8)));
    b.mem_alloc(kSegment, 0x200000);
    history.source = "history";
    history.allocator = "RMM";
    for (int i = 0; i < 300; ++i) step();
  }

  uint32_t below(size_t n) { return static_cast<uint32_t>(random() % n); }

  void step() {
    const uint32_t what = below(10);
    if (what < 3 || live.empty())
      allocate();
    else if (what < 5)
      release();
    else if (what < 9)
      launch();
    else
      b.event_wait(0, 0, streams[below(3)]);
  }
  void allocate() {
    uint64_t at = kSegment;
    for (const auto& [address, generation] : live)
      if (address == at) at += 0x1000;
    live[at] = ++generations;
    address_of[generations] = at;
    add(HistoryAction::alloc, at);
    if (below(8) < filled) launch(at);  // most programs write what they asked for
  }
  void release() {
    auto it = live.begin();
    std::advance(it, below(live.size()));
    add(HistoryAction::free_requested, it->first);
    add(HistoryAction::free_completed, it->first);
    live.erase(it);
  }
  void add(HistoryAction action, uint64_t address) {
    HistoryEvent one;
    one.action = action;
    one.address = address;
    one.bytes = kBytes;
    one.stream = 0x500;
    one.time_ns = below(4) == 0   ? time_ahead(b.seq)
                  : below(3) == 0 ? time_after(b.seq)
                                  : time_behind(b.seq);
    if (!history.events.empty()) one.time_ns = std::max(one.time_ns, history.events.back().time_ns);
    history.events.push_back(one);
  }
  void launch(uint64_t first = 0) {
    const size_t names = 1 + below(3);
    std::vector<uint64_t> pointers;
    std::set<int> meant;
    if (first != 0) {
      pointers.push_back(first + 8);
      meant.insert(live.at(first));
    }
    while (pointers.size() < names) {
      auto it = live.begin();
      std::advance(it, below(live.size()));
      pointers.push_back(it->first + 8);
      meant.insert(it->second);
    }
    b.kernel(streams[below(3)], kernels[names - 1], pointers);
    uses.push_back(meant);
  }

  uint32_t filled;
  std::mt19937 random;
  LogBuilder b;
  AllocatorHistory history;
  std::vector<uint32_t> streams, kernels;
  std::map<uint64_t, int> live;  // generation of the block at each address
  int generations = 0;
  std::map<int, uint64_t> address_of;
  std::vector<std::set<int>> uses;  // of each kernel
};

// Each lifetime of a block is a hand-out of its address, and they keep their order, so a use names
// the right one if there is a way to number the lifetimes of each address that fits all uses.
struct Numbering {
  void add(const Lifetime* lifetime, const std::set<int>& meant,
           const std::map<int, uint64_t>& address_of) {
    std::set<int> fits;
    for (const int generation : meant)
      if (address_of.at(generation) == lifetime->pieces.front().range.begin)
        fits.insert(generation);
    ASSERT_EQ(fits.size(), 1u) << "a use of " << lifetime->name << " that was none";
    const auto [known, added] = of.try_emplace(lifetime, *fits.begin());
    EXPECT_EQ(known->second, *fits.begin()) << lifetime->name << " is two blocks";
    if (!added) return;
    EXPECT_TRUE(seen.insert(known->second).second) << lifetime->name << " is half a block";
  }
  std::map<const Lifetime*, int> of;
  std::set<int> seen;
};

struct Placed {
  size_t right = 0, open = 0;
};

// Adds a random run's history and holds every use against what was meant.
void place(RandomRun& run, Placed* placed) {
  const auto added = add_history(run.b.log, run.history);
  if (!added.ok()) {
    EXPECT_EQ(added.error().code, "history-open");
    return;
  }
  const auto imported = import_log(added.value().log);
  ASSERT_TRUE(imported.ok());
  const Program& program = imported.value();
  Numbering numbering;
  size_t kernel = 0;
  for (const Op& op : program.ops) {
    if (op.kind != OpKind::kernel) continue;
    const std::set<int>& meant = run.uses.at(kernel++);
    for (const Access& access : accesses_of(program, op)) {
      const Lifetime& lifetime = program.lifetimes[access.lifetime.index()];
      ++(lifetime.driver ? placed->open : placed->right);
      if (lifetime.driver)
        EXPECT_EQ(access.doubt, Doubt::unknown_extent);
      else
        numbering.add(&lifetime, meant, run.address_of);
    }
  }
  EXPECT_EQ(kernel, run.uses.size());
}

TEST(AddHistoryAtRandom, NoUseIsGivenToAnotherBlockThanItHad) {
  Placed placed;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, seed % 9);
    place(run, &placed);
  }
  EXPECT_GT(placed.right, 5000u) << "what such programs leave open is open";
  EXPECT_GT(placed.open, 0u);
}

TEST(AddHistoryAtRandom, WithTimesEveryUseIsGivenToItsBlock) {
  Placed placed;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, seed % 9);
    run.b.add(clock_of(run.b.seq));
    place(run, &placed);
  }
  EXPECT_LT(placed.open, placed.right / 5) << placed.right;
}

// Times that are off by some calls must not make a use another's; they may make it open.
TEST(AddHistoryAtRandom, TimesThatDisagreeWithTheCallsAreLeftOut) {
  Placed placed;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, seed % 9);
    run.b.add(clock_of(run.b.seq));
    for (HistoryEvent& event : run.history.events) event.time_ns -= 1'000'000'000;
    place(run, &placed);
  }
  EXPECT_GT(placed.open, 0u);
}

}  // namespace
}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Virtual time: the same seed is the same run, order that was asked for holds under every seed, and
// what was not asked for depends on timing.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "gpu/sim/concurrent.h"
#include "gpu/sim/mix.h"
#include "sim_fixture.h"

namespace bohr::gpu::sim {
namespace {

// Two streams that share x, several times over, through events or without.
struct Relay {
  Words x, y;
};

ProgramText relay(bool waits, Relay* memory) {
  return [=](Runtime& gpu) -> Status {
    const Stream a = gpu.make_stream({.name = "a"});
    const Stream b = gpu.make_stream({.name = "b"});
    BOHR_TRY(x, device_words(gpu, a, 256, "x"));
    BOHR_TRY(y, device_words(gpu, a, 256, "y"));
    *memory = {x, y};
    const Event ready = gpu.make_event();
    const Event taken = gpu.make_event();
    for (uint32_t round = 0; round < 4; ++round) {
      BOHR_TRY_STATUS(gpu.launch(hash_words("produce", round, {x}, x), a));
      BOHR_TRY_STATUS(gpu.record(ready, a));
      if (waits) BOHR_TRY_STATUS(gpu.wait(b, ready));
      BOHR_TRY_STATUS(gpu.launch(hash_words("consume", round, {x, y}, y), b));
      BOHR_TRY_STATUS(gpu.record(taken, b));
      if (waits) BOHR_TRY_STATUS(gpu.wait(a, taken));
    }
    return gpu.sync_device();
  };
}

bool same_spans(const std::vector<Span>& a, const std::vector<Span>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Span& s, const Span& t) {
    return s.item == t.item && s.begin == t.begin && s.end == t.end;
  });
}

std::vector<Span> replayed(const Ran& ran, const Timing& timing, uint64_t seed) {
  auto spans = run_concurrent(ran.sim->tape(), timing, seed, &ran.sim->arena());
  EXPECT_TRUE(spans.ok());
  return std::move(spans).value();
}

// What each block of a program's first run did, and when, comes again when its tape is run.
TEST(SimConcurrent, TheTapeUnderTheSameSeedIsTheSameRun) {
  Options options;
  options.seed = 77;
  Relay memory;
  const Ran ran = run_program(relay(false, &memory), options);
  const Arena::Image first = ran.sim->arena().save();
  const std::vector<Span> live = ran.sim->timeline().spans();
  const std::vector<Span> again = replayed(ran, options.timing, 77);
  EXPECT_TRUE(same_spans(live, again));
  EXPECT_EQ(first, ran.sim->arena().save());
  const std::vector<Span> other = replayed(ran, options.timing, 78);
  EXPECT_FALSE(same_spans(live, other));
}

// How many of 60 seeds end with other bytes than issue order does.
int differing(bool waits, const Timing& timing) {
  Relay memory;
  Options options;
  options.timing = timing;
  Timing one_by_one = timing;
  one_by_one.call_ns = 1'000'000;  // the device is done before the next call
  const Ran ran = run_program(relay(waits, &memory), options);
  replayed(ran, one_by_one, 1);
  const std::vector<uint32_t> right = ran.words(memory.y);
  int count = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    replayed(ran, timing, seed);
    count += ran.words(memory.y) != right;
  }
  return count;
}

TEST(SimConcurrent, OrderThatWasAskedForHoldsUnderEverySeed) {
  Timing timing;
  timing.call_jitter = 0.9;
  timing.kernel.jitter = 0.9;
  EXPECT_EQ(differing(true, timing), 0);
}

// Kernels much faster than the calls between them: the race is never lost. Close to them:
// sometimes. Much slower: always.
TEST(SimConcurrent, ARaceIsLostAsOftenAsTimingHasIt) {
  Timing timing;
  timing.kernels["produce"] = {400, 0.5};
  timing.kernels["consume"] = {200, 0.5};
  EXPECT_EQ(differing(false, timing), 0);
  timing.kernels["produce"] = {1'400, 0.5};
  const int sometimes = differing(false, timing);
  EXPECT_GT(sometimes, 5);
  EXPECT_LT(sometimes, 55);
  timing.kernels["produce"] = {60'000, 0.5};
  EXPECT_EQ(differing(false, timing), 60);
}

// Blocks of two kernels that a device with one place runs in turn, by priority.
std::vector<Span> two_kernels(uint32_t places, int32_t first_priority, int32_t second_priority) {
  Options options;
  options.timing.resident_blocks = places;
  options.timing.kernel = {10'000, 0};
  const Ran ran = run_program(
      [=](Runtime& gpu) -> Status {
        const Stream a = gpu.make_stream({.priority = first_priority});
        const Stream b = gpu.make_stream({.priority = second_priority});
        BOHR_TRY(x, device_words(gpu, a, 4 * kWordsPerBlock, "x"));
        BOHR_TRY(y, device_words(gpu, a, 4 * kWordsPerBlock, "y"));
        BOHR_TRY_STATUS(gpu.launch(hash_words("first", 1, {}, x), a));
        return gpu.launch(hash_words("second", 2, {}, y), b);
      },
      options);
  return ran.sim->timeline().spans();
}

TEST(SimConcurrent, BlocksShareThePlacesOfTheDevice) {
  const std::vector<Span> one = two_kernels(1, 0, 0);
  ASSERT_EQ(one.size(), 2u);
  const auto begin = std::min(one[0].begin, one[1].begin);
  EXPECT_EQ(one.back().end - begin, 80'000);  // 8 blocks of 10 us, one at a time
  const std::vector<Span> many = two_kernels(8, 0, 0);
  EXPECT_EQ(many[0].end - many[0].begin, 10'000);
  EXPECT_EQ(many[1].end - many[1].begin, 10'000);
  EXPECT_LT(many[1].begin, many[0].end);
}

// The second kernel comes when one block of the first is resident: a higher priority (a lower
// number) lets it go before the three others.
TEST(SimConcurrent, StreamPrioritiesDecideWhoIsResident) {
  const std::vector<Span> equal = two_kernels(1, 0, 0);
  EXPECT_LT(equal[0].item.op, equal[1].item.op);
  const std::vector<Span> urgent = two_kernels(1, 0, -1);
  EXPECT_GT(urgent[0].item.op, urgent[1].item.op);
}

// Order that is added is order: the second kernel begins when the first has ended.
TEST(SimConcurrent, MoreOrderHoldsInEveryRun) {
  Options options;
  options.timing.kernel = {10'000, 0.9};
  const Ran ran = run_program(
      [](Runtime& gpu) -> Status {
        const Stream a = gpu.make_stream({}), b = gpu.make_stream({});
        BOHR_TRY(x, device_words(gpu, a, kWordsPerBlock, "x"));
        BOHR_TRY(y, device_words(gpu, a, kWordsPerBlock, "y"));
        BOHR_TRY_STATUS(gpu.launch(hash_words("first", 1, {}, x), a));
        return gpu.launch(hash_words("second", 2, {}, y), b);
      },
      options);
  const Tape& tape = ran.sim->tape();
  const std::vector<Item> items = items_of(tape);
  ASSERT_EQ(items.size(), 2u);
  const auto more = MoreOrder::of(tape, {{items[0], items[1]}});
  ASSERT_TRUE(more.ok());
  EXPECT_EQ(MoreOrder::of(tape, {{items[1], items[0]}}).error().code, "sim-order");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto free = time_concurrent(tape, options.timing, seed, {}, &ran.sim->arena());
    const auto ordered =
        time_concurrent(tape, options.timing, seed, more.value(), &ran.sim->arena());
    ASSERT_TRUE(free.ok() && ordered.ok());
    int64_t work = 0;
    for (const Span& span : replayed(ran, options.timing, seed)) work += span.end - span.begin;
    EXPECT_LT(free.value(), ordered.value());
    EXPECT_GE(ordered.value(), work);
  }
}

TEST(SimConcurrent, WorkOfOneStreamNeverOverlaps) {
  Relay memory;
  const Ran ran = run_program(relay(false, &memory));
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::map<int32_t, int64_t> busy_until;  // by stream
    std::vector<Span> spans = replayed(ran, Timing(), seed);
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.begin < b.begin; });
    for (const Span& span : spans) {
      const Stream stream = ran.sim->tape().ops[static_cast<size_t>(span.item.op)].stream;
      EXPECT_GE(span.begin, busy_until[stream.value()]);
      busy_until[stream.value()] = span.end;
    }
  }
}

// Legacy default stream: it waits for blocking streams and they for it; nonblocking ones do not.
TEST(SimConcurrent, TheLegacyStreamWaitsForBlockingStreams) {
  for (const StreamKind kind : {StreamKind::blocking, StreamKind::nonblocking}) {
    Options options;
    options.timing.kernel = {50'000, 0};
    const Ran ran = run_program(
        [=](Runtime& gpu) -> Status {
          const Stream other = gpu.make_stream({.kind = kind});
          const Stream legacy = gpu.make_stream({.kind = StreamKind::legacy});
          BOHR_TRY(x, device_words(gpu, legacy, 8, "x"));
          BOHR_TRY(y, device_words(gpu, legacy, 8, "y"));
          BOHR_TRY_STATUS(gpu.launch(hash_words("a", 1, {}, x), other));
          BOHR_TRY_STATUS(gpu.launch(hash_words("b", 2, {}, y), legacy));
          return gpu.launch(hash_words("c", 3, {}, x), other);
        },
        options);
    std::vector<Span> spans = ran.sim->timeline().spans();
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.item < b.item; });
    ASSERT_EQ(spans.size(), 3u);
    const bool in_turn = spans[1].begin >= spans[0].end && spans[2].begin >= spans[1].end;
    EXPECT_EQ(in_turn, kind == StreamKind::blocking);
  }
}

// A query tells what is done by now; once it says yes the program may rely on it, so a run of the
// tape in which the work takes longer waits there.
TEST(SimConcurrent, ASuccessfulQueryIsASynchronisation) {
  Options options;
  options.timing.kernel = {20'000, 0};
  Words x, seen;
  int asked = 0;
  const Ran ran = run_program(
      [&](Runtime& gpu) -> Status {
        const Stream s = gpu.make_stream({});
        const Stream other = gpu.make_stream({});
        BOHR_TRY(dx, device_words(gpu, s, 8, "x"));
        BOHR_TRY(dy, device_words(gpu, s, 8, "seen"));
        x = dx, seen = dy;
        const Event done = gpu.make_event();
        BOHR_TRY_STATUS(gpu.launch(hash_words("slow", 1, {}, dx), s));
        BOHR_TRY_STATUS(gpu.record(done, s));
        while (true) {
          BOHR_TRY(is_done, gpu.query_event(done));
          ++asked;
          if (is_done) break;
        }
        return gpu.launch(hash_words("after", 2, {dx}, dy), other);
      },
      options);
  EXPECT_GT(asked, 5);
  EXPECT_LT(asked, 50);
  EXPECT_TRUE(verdict_of(ran).findings.empty());
  const std::vector<uint32_t> right = ran.words(seen);
  Timing slower = options.timing;
  slower.kernels["slow"] = {5'000'000, 0};
  replayed(ran, slower, 3);
  EXPECT_EQ(ran.words(seen), right);
}

// The host reads pinned memory: too early without synchronisation, rightly with it.
TEST(SimConcurrent, TheHostSeesWhatIsThereByThen) {
  for (const bool waits : {false, true}) {
    std::vector<uint8_t> read(4);
    Options options;
    options.timing.transfer_ns = 50'000;
    const Ran ran = run_program(
        [&](Runtime& gpu) -> Status {
          const Stream s = gpu.make_stream({});
          BOHR_TRY(x, device_words(gpu, s, 1, "x"));
          BOHR_TRY(host, host_words(gpu, HostMemory::pinned, 1, "host"));
          BOHR_TRY_STATUS(gpu.fill(x.address, 7, 4, s));
          BOHR_TRY_STATUS(gpu.copy(host.address, x.address, 4, s));
          if (waits) BOHR_TRY_STATUS(gpu.sync_stream(s));
          return gpu.host_read(host.address, read);
        },
        options);
    EXPECT_EQ(read, std::vector<uint8_t>(4, waits ? 7 : 0));
    std::vector<std::string> wanted;
    if (!waits) wanted = {"RAW memcpy D2H host access host"};
    EXPECT_EQ(findings_of(verdict_of(ran)), wanted);
  }
}

// Outside captures a copy from pageable memory has read its source when the call returns; one to
// pageable memory is done then.
TEST(SimConcurrent, PageableCopiesHoldTheHost) {
  std::vector<uint8_t> read(4);
  Words x;
  const Ran ran = run_program([&](Runtime& gpu) -> Status {
    const Stream s = gpu.make_stream({});
    BOHR_TRY(dx, device_words(gpu, s, 1, "x"));
    x = dx;
    BOHR_TRY(up, host_words(gpu, HostMemory::pageable, 1, "up"));
    BOHR_TRY(down, host_words(gpu, HostMemory::pageable, 1, "down"));
    BOHR_TRY_STATUS(put_words(gpu, up, 11));
    BOHR_TRY_STATUS(gpu.copy(dx.address, up.address, 4, s));
    BOHR_TRY_STATUS(put_words(gpu, up, 22));
    BOHR_TRY_STATUS(gpu.copy(down.address, dx.address, 4, s));
    return gpu.host_read(down.address, read);
  });
  EXPECT_EQ(ran.words(x)[0], 11u);
  EXPECT_EQ(read[0], 11);
  const Verdict verdict = verdict_of(ran);
  EXPECT_TRUE(verdict.findings.empty());
  EXPECT_EQ(verdict.outcome, Outcome::clean);
}

// A run under seed 1 must not draw for its op 2 what one under seed 2 draws for its op 1.
TEST(SimMix, SeedAndPartAreNotOneNumber) {
  std::set<uint64_t> drawn;
  for (uint64_t seed = 0; seed < 64; ++seed)
    for (uint64_t part = 0; part < 64; ++part) drawn.insert(gpu::sim::mix(seed, {part}));
  EXPECT_EQ(drawn.size(), 64U * 64U);
}

}  // namespace
}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// Eager programs on the simulated GPU: what they compute, what they log, and what the checker says.
#include <gtest/gtest.h>

#include <algorithm>

#include "check/check.h"
#include "gpu/sim/serial.h"
#include "sim_fixture.h"
#include "trace/sqlite_trace.h"

namespace bohr::gpu::sim {
namespace {

using Lines = std::vector<std::string>;

struct TwoStreams {
  Stream main;
  Stream side;
  Words x, y;
};

Result<TwoStreams> two_streams(Runtime& gpu) {
  TwoStreams t;
  t.main = gpu.make_stream({.name = "main"});
  t.side = gpu.make_stream({.name = "side"});
  BOHR_TRY(x, device_words(gpu, t.main, 256, "x"));
  BOHR_TRY(y, device_words(gpu, t.main, 256, "y"));
  t.x = x;
  t.y = y;
  return t;
}

// `produce` writes x on one stream, `consume` reads it on another. x was in use before.
ProgramText hand_over(bool waits) {
  return [waits](Runtime& gpu) -> Status {
    BOHR_TRY(t, two_streams(gpu));
    BOHR_TRY_STATUS(gpu.fill(t.x.address, 0, t.x.bytes(), t.main));
    BOHR_TRY_STATUS(gpu.sync_device());
    const Event ready = gpu.make_event();
    BOHR_TRY_STATUS(gpu.launch(hash_words("produce", 1, {}, t.x), t.main));
    BOHR_TRY_STATUS(gpu.record(ready, t.main));
    if (waits) BOHR_TRY_STATUS(gpu.wait(t.side, ready));
    BOHR_TRY_STATUS(gpu.launch(hash_words("consume", 2, {t.x}, t.y), t.side));
    return gpu.sync_device();
  };
}

TEST(SimProgram, AMissingWaitIsARaceAndAWaitMakesItClean) {
  const Verdict race = verdict_of(run_program(hand_over(false)));
  EXPECT_EQ(findings_of(race), Lines{"RAW produce consume data"});
  const Verdict clean = verdict_of(run_program(hand_over(true)));
  EXPECT_EQ(findings_of(clean), Lines{});
  EXPECT_TRUE(clean.candidates.empty());
  EXPECT_EQ(clean.outcome, Outcome::clean);
}

TEST(SimProgram, WithoutDeclarationsParametersAreAllThatIsKnown) {
  Options options;
  options.declare = false;
  const Ran ran = run_program(hand_over(false), options);
  const Verdict verdict = verdict_of(ran);
  EXPECT_EQ(findings_of(verdict), Lines{});
  ASSERT_EQ(verdict.candidates.size(), 1u);
  EXPECT_EQ(verdict.candidates[0].range.name, "x");
  ASSERT_EQ(ran.program.accesses.size(), 4u);
  EXPECT_EQ(ran.program.accesses[0].source, AccessSource::copy);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(ran.program.accesses[i].source, AccessSource::params);
}

TEST(SimProgram, NamesOfStreamsAndMemoryReachTheProgram) {
  const Ran ran = run_program(hand_over(true));
  ASSERT_EQ(ran.program.streams.size(), 2u);
  EXPECT_EQ(ran.program.streams[0].name, "main");
  EXPECT_EQ(ran.program.streams[1].name, "side");
  std::vector<std::string> names;
  for (const Lifetime& lifetime : ran.program.lifetimes) names.push_back(lifetime.name);
  EXPECT_NE(std::find(names.begin(), names.end(), "x"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "y"), names.end());
}

// The values of a kernel that hashes one input, from the kernel itself on known words.
TEST(SimProgram, KernelsComputeWhatTheySay) {
  Words a, b, sum, scaled;
  const Ran ran = run_program([&](Runtime& gpu) -> Status {
    const Stream s = gpu.make_stream({});
    BOHR_TRY(host, host_words(gpu, HostMemory::pinned, 100, "host"));
    BOHR_TRY(da, device_words(gpu, s, 100, "a"));
    BOHR_TRY(db, device_words(gpu, s, 100, "b"));
    BOHR_TRY(dsum, device_words(gpu, s, 100, "sum"));
    BOHR_TRY(total, device_words(gpu, s, 1, "total"));
    a = da, b = db, sum = dsum, scaled = total;
    BOHR_TRY_STATUS(put_words(gpu, host, 5));
    BOHR_TRY_STATUS(gpu.copy(a.address, host.address, host.bytes(), s));
    BOHR_TRY_STATUS(gpu.fill(b.address, 1, b.bytes(), s));
    BOHR_TRY_STATUS(gpu.fill(total.address, 0, total.bytes(), s));
    BOHR_TRY_STATUS(gpu.launch(scale_words("triple", a, 3), s));
    BOHR_TRY_STATUS(gpu.launch(add_words("add", a, b, sum), s));
    return gpu.launch(sum_words("total", a, total), s);
  });
  uint32_t total = 0;
  for (uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(ran.words(a)[i], (5 + i) * 3);
    EXPECT_EQ(ran.words(sum)[i], (5 + i) * 3 + 0x01010101);
    total += (5 + i) * 3;
  }
  EXPECT_EQ(ran.words(scaled)[0], total);
}

// A slow producer and a reader that does not wait: the reader sees zeros, and after a wait it does
// not; in the serial order of issue it never does.
TEST(SimProgram, ARaceIsLostByTimeAndWonInIssueOrder) {
  Options slow;
  slow.timing.kernels["produce"] = {100'000, 0};
  slow.timing.kernels["consume"] = {1'000, 0};
  Words y;
  const auto text = [&](bool waits) -> ProgramText {
    return [&y, waits](Runtime& gpu) -> Status {
      BOHR_TRY(t, two_streams(gpu));
      y = t.y;
      const Event ready = gpu.make_event();
      BOHR_TRY_STATUS(gpu.launch(hash_words("produce", 1, {}, t.x), t.main));
      BOHR_TRY_STATUS(gpu.record(ready, t.main));
      if (waits) BOHR_TRY_STATUS(gpu.wait(t.side, ready));
      return gpu.launch(hash_words("consume", 2, {t.x}, t.y), t.side);
    };
  };
  const Ran right = run_program(text(true), slow);
  const Ran wrong = run_program(text(false), slow);
  EXPECT_NE(right.words(y), wrong.words(y));
  const std::vector<Item> issue_order = items_of(wrong.sim->tape());
  ASSERT_TRUE(run_serial(wrong.sim->tape(), issue_order, 1, &wrong.sim->arena()).ok());
  EXPECT_EQ(right.words(y), wrong.words(y));
  const std::vector<Item> reversed(issue_order.rbegin(), issue_order.rend());
  ASSERT_TRUE(run_serial(wrong.sim->tape(), reversed, 1, &wrong.sim->arena()).ok());
  EXPECT_NE(right.words(y), wrong.words(y));
}

TEST(SimProgram, AnOrderNamesEveryItemOnce) {
  const Ran ran = run_program(hand_over(true));
  std::vector<Item> order = items_of(ran.sim->tape());
  ASSERT_EQ(order.size(), 3u);
  order[1] = order[0];
  const Status status = run_serial(ran.sim->tape(), order, 1, &ran.sim->arena());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "sim-order");
}

TEST(SimProgram, AKernelThatBreaksItsDeclarationEndsTheRun) {
  const auto text = [](Mode declared, uint64_t bytes) -> ProgramText {
    return [=](Runtime& gpu) -> Status {
      const Stream s = gpu.make_stream({});
      BOHR_TRY(x, device_words(gpu, s, 64, "x"));
      KernelLaunch launch = hash_words("liar", 1, {}, x);
      launch.accesses = {{x.address, bytes, declared}};
      BOHR_TRY_STATUS(gpu.launch(launch, s));
      BOHR_TRY_STATUS(gpu.sync_stream(s));
      return Nothing{};
    };
  };
  for (const Error& error : {error_of(text(Mode::read, 256)), error_of(text(Mode::write, 252)),
                             error_of(text(Mode::atomic, 256))}) {
    EXPECT_EQ(error.code, "sim-access");
    EXPECT_EQ(error.what, "kernel liar");
    EXPECT_NE(error.where.find("mode write"), std::string::npos);
  }
  run_program(text(Mode::write, 256));
  run_program(text(Mode::update, 256));
}

TEST(SimProgram, WorkReachesOnlyMemoryThatWasHandedOut) {
  const Error error = error_of([](Runtime& gpu) -> Status {
    const Stream s = gpu.make_stream({});
    return gpu.fill(Arena::kOrigin + 4096, 0, 16, s);
  });
  EXPECT_EQ(error.code, "sim-address");
}

TEST(SimProgram, AfterAFailureEveryCallFails) {
  const Error error = error_of([](Runtime& gpu) -> Status {
    const Stream s = gpu.make_stream({});
    BOHR_TRY(x, device_words(gpu, s, 64, "x"));
    KernelLaunch launch = hash_words("liar", 1, {}, x);
    launch.accesses.clear();
    BOHR_TRY_STATUS(gpu.launch(launch, s));
    EXPECT_FALSE(gpu.sync_stream(s).ok());
    return gpu.alloc(16, s, "y").ok() ? Status(Nothing{}) : gpu.sync_device();
  });
  EXPECT_EQ(error.code, "sim-access");
}

// Two threads: what the second does behind the first's synchronisation is ordered by nothing but
// the moment at which it was called.
TEST(SimProgram, CallsOfSeveralThreadsAreOrderedAsTheyWereMade) {
  const Ran ran = run_program([](Runtime& gpu) -> Status {
    const Thread loader = gpu.make_thread("loader");
    const Stream s = gpu.make_stream({.name = "s"});
    BOHR_TRY(host, host_words(gpu, HostMemory::pinned, 64, "host"));
    BOHR_TRY(x, device_words(gpu, s, 64, "x"));
    gpu.on_thread(loader);
    gpu.at({"fill", "loader.py", 7});
    BOHR_TRY_STATUS(put_words(gpu, host, 1));
    BOHR_TRY_STATUS(gpu.copy(x.address, host.address, host.bytes(), s));
    BOHR_TRY_STATUS(gpu.sync_stream(s));
    gpu.on_thread(Thread(0));
    return put_words(gpu, host, 2);
  });
  ASSERT_EQ(ran.program.actors.size(), 2u);
  EXPECT_EQ(ran.program.actors[1].name, "loader");
  const Op& copy = *std::find_if(ran.program.ops.begin(), ran.program.ops.end(),
                                 [](const Op& op) { return op.kind == bohr::OpKind::copy; });
  EXPECT_EQ(copy.actor, ActorId(1));
  ASSERT_TRUE(copy.stack.valid());
  const Frame& frame = ran.program.stacks[copy.stack.index()].frames[0];
  EXPECT_EQ(frame.file + ":" + std::to_string(frame.line) + " " + frame.function,
            "loader.py:7 fill");
  const Verdict observed = verdict_of(ran);
  EXPECT_EQ(observed.outcome, Outcome::clean);
  EXPECT_EQ(observed.assumptions, Lines{"host-order-observed"});
  const auto strict = check::check(ran.program, {.strict_threads = true});
  ASSERT_TRUE(strict.ok());
  EXPECT_FALSE(strict.value().findings.empty());
}

// Host functions run in their stream and declare what they touch as kernels do.
TEST(SimProgram, HostFunctionsRunInTheirStream) {
  Words host;
  const Ran ran = run_program([&](Runtime& gpu) -> Status {
    const Stream s = gpu.make_stream({});
    BOHR_TRY(h, host_words(gpu, HostMemory::pinned, 1, "host"));
    BOHR_TRY(x, device_words(gpu, s, 1, "x"));
    host = h;
    BOHR_TRY_STATUS(gpu.fill(x.address, 2, 4, s));
    BOHR_TRY_STATUS(gpu.copy(h.address, x.address, 4, s));
    return gpu.host_function(
        {{h.address, 4, Mode::update}},
        [h](Accessor& memory) {
          const auto view = memory.update<uint32_t>(h.address);
          view.put(0, view.get(0) + 1);
        },
        s);
  });
  EXPECT_EQ(ran.words(host)[0], 0x02020203u);
  EXPECT_EQ(verdict_of(ran).outcome, Outcome::clean);
}

// A log becomes a SQLite trace and comes back without loss.
TEST(SimProgram, ItsLogSurvivesSqlite) {
  const Ran ran = run_program(hand_over(false));
  const auto log = trace::read_log(ran.log, "log");
  trace::TempFolder folder;
  ASSERT_TRUE(trace::write_sqlite(std::vector{log.value()}, folder.file("t.sqlite")).ok());
  const auto back = trace::read_sqlite(trace::file_bytes(folder.file("t.sqlite")), "t");
  ASSERT_TRUE(back.ok());
  ASSERT_EQ(back.value().size(), 1u);
  EXPECT_EQ(back.value()[0].records, log.value().records);
}

TEST(SimProgram, OneSeedIsOneLog) {
  EXPECT_EQ(run_program(hand_over(false)).log, run_program(hand_over(false)).log);
}

}  // namespace
}  // namespace bohr::gpu::sim

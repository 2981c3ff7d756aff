// SPDX-License-Identifier: Apache-2.0
// Device memory on the simulated GPU: what the caching allocator does to programs, and what the
// checker makes of it.
#include <gtest/gtest.h>

#include "sim_fixture.h"

namespace bohr::gpu::sim {
namespace {

using Lines = std::vector<std::string>;

// `late_reader` reads x on a side stream; x is freed, and its bytes go to y of the same stream.
enum class Hold { nothing, record_stream, wait };

ProgramText freed_too_early(Hold hold, bool* reused) {
  return [=](Runtime& gpu) -> Status {
    const Stream main = gpu.make_stream({.name = "main"});
    const Stream side = gpu.make_stream({.name = "side"});
    const Event ready = gpu.make_event();
    const Event done = gpu.make_event();
    BOHR_TRY(out, device_words(gpu, side, 256, "out"));
    BOHR_TRY(x, device_words(gpu, main, 256, "x"));
    BOHR_TRY_STATUS(gpu.launch(hash_words("fill_x", 1, {}, x), main));
    BOHR_TRY_STATUS(gpu.record(ready, main));
    BOHR_TRY_STATUS(gpu.wait(side, ready));
    BOHR_TRY_STATUS(gpu.launch(hash_words("late_reader", 2, {x}, out), side));
    BOHR_TRY_STATUS(gpu.record(done, side));
    if (hold == Hold::record_stream) BOHR_TRY_STATUS(gpu.use_on(x.address, side));
    if (hold == Hold::wait) BOHR_TRY_STATUS(gpu.wait(main, done));
    BOHR_TRY_STATUS(gpu.free(x.address));
    BOHR_TRY(y, device_words(gpu, main, 256, "y"));
    *reused = x.address == y.address;
    BOHR_TRY_STATUS(gpu.launch(hash_words("fill_y", 3, {}, y), main));
    return gpu.sync_device();
  };
}

TEST(SimMemory, AFreedBlockIsHandedOutAtOnceToItsOwnStream) {
  bool reused = false;
  const Verdict race = verdict_of(run_program(freed_too_early(Hold::nothing, &reused)));
  EXPECT_TRUE(reused);
  EXPECT_EQ(findings_of(race), Lines{"WAR late_reader fill_y reuse"});
}

TEST(SimMemory, ANamedStreamOrAWaitKeepsItRight) {
  bool reused = true;
  const Verdict named = verdict_of(run_program(freed_too_early(Hold::record_stream, &reused)));
  EXPECT_FALSE(reused);
  EXPECT_EQ(findings_of(named), Lines{});
  EXPECT_EQ(named.outcome, Outcome::clean);
  const Verdict waits = verdict_of(run_program(freed_too_early(Hold::wait, &reused)));
  EXPECT_TRUE(reused);
  EXPECT_EQ(findings_of(waits), Lines{});
  EXPECT_EQ(waits.outcome, Outcome::clean);
}

// Once the named stream is done the allocator hands the block out, and that is order: it asked.
TEST(SimMemory, WhatTheAllocatorFoundDoneIsOrder) {
  bool reused = false;
  const Ran ran = run_program([&](Runtime& gpu) -> Status {
    const Stream main = gpu.make_stream({.name = "main"});
    const Stream side = gpu.make_stream({.name = "side"});
    BOHR_TRY(out, device_words(gpu, side, 256, "out"));
    BOHR_TRY(x, device_words(gpu, main, 256, "x"));
    BOHR_TRY_STATUS(gpu.fill(x.address, 1, x.bytes(), main));
    BOHR_TRY_STATUS(gpu.sync_stream(main));
    BOHR_TRY_STATUS(gpu.launch(hash_words("reader", 2, {x}, out), side));
    BOHR_TRY_STATUS(gpu.use_on(x.address, side));
    BOHR_TRY_STATUS(gpu.free(x.address));
    BOHR_TRY(scratch, host_words(gpu, HostMemory::pinned, 1, "scratch"));
    for (int i = 0; i < 20; ++i) BOHR_TRY_STATUS(put_words(gpu, scratch, 0));  // time passes
    BOHR_TRY(y, device_words(gpu, main, 256, "y"));
    reused = x.address == y.address;
    return gpu.launch(hash_words("fill_y", 3, {}, y), main);
  });
  EXPECT_TRUE(reused);
  EXPECT_EQ(findings_of(verdict_of(ran)), Lines{});
}

// The shape of the report that Bohr was made for: inside a capture, a block of the main stream is
// dropped before the side stream that reads it was joined, and goes to the next allocation.
ProgramText transients(bool held_until_join) {
  return [=](Runtime& gpu) -> Status {
    const Stream main = gpu.make_stream({.name = "main"});
    const Stream side = gpu.make_stream({.name = "side"});
    const Event forked = gpu.make_event();
    const Event joined = gpu.make_event();
    BOHR_TRY(in, device_words(gpu, main, 256, "in"));
    BOHR_TRY(out, device_words(gpu, main, 256, "out"));
    BOHR_TRY_STATUS(gpu.fill(in.address, 1, in.bytes(), main));
    BOHR_TRY_STATUS(gpu.begin_capture(main, Pool(), "decode"));
    BOHR_TRY(q, device_words(gpu, main, 256, "q"));
    BOHR_TRY_STATUS(gpu.launch(hash_words("q_gemm", 1, {in}, q), main));
    BOHR_TRY_STATUS(gpu.record(forked, main));
    BOHR_TRY_STATUS(gpu.wait(side, forked));
    BOHR_TRY(score, device_words(gpu, side, 256, "score"));
    BOHR_TRY_STATUS(gpu.launch(hash_words("indexer", 2, {q}, score), side));
    BOHR_TRY_STATUS(gpu.record(joined, side));
    if (!held_until_join) BOHR_TRY_STATUS(gpu.free(q.address));
    BOHR_TRY(kv, device_words(gpu, main, 256, "kv"));
    BOHR_TRY_STATUS(gpu.launch(hash_words("kv_store", 3, {in}, kv), main));
    BOHR_TRY_STATUS(gpu.wait(main, joined));
    if (held_until_join) BOHR_TRY_STATUS(gpu.free(q.address));
    BOHR_TRY_STATUS(gpu.launch(hash_words("attention", 4, {score, kv}, out), main));
    BOHR_TRY(graph, gpu.end_capture(main));
    BOHR_TRY(exec, gpu.instantiate(graph));
    for (int i = 0; i < 3; ++i) BOHR_TRY_STATUS(gpu.launch(exec, main));
    return gpu.sync_device();
  };
}

TEST(SimMemory, ABlockDroppedBeforeTheJoinOfACaptureIsReused) {
  EXPECT_EQ(findings_of(verdict_of(run_program(transients(false)))),
            Lines{"WAR indexer kv_store reuse"});
  const Verdict clean = verdict_of(run_program(transients(true)));
  EXPECT_EQ(findings_of(clean), Lines{});
  EXPECT_EQ(clean.outcome, Outcome::clean);
}

Result<Exec> captured(Runtime& gpu, Stream stream, Pool pool, const std::string& name,
                      const KernelLaunch& launch) {
  BOHR_TRY_STATUS(gpu.begin_capture(stream, pool, name));
  BOHR_TRY_STATUS(gpu.launch(launch, stream));
  BOHR_TRY(graph, gpu.end_capture(stream));
  return gpu.instantiate(graph);
}

// Three graphs of one pool: the first makes `state`, the second uses it, and when the third is
// captured its bytes have become `scratch`. That is right as long as they are launched in the order
// of their captures.
ProgramText shared_pool(bool in_order) {
  return [=](Runtime& gpu) -> Status {
    const Stream s = gpu.make_stream({.name = "s"});
    BOHR_TRY(in, device_words(gpu, s, 256, "in"));
    BOHR_TRY(out, device_words(gpu, s, 256, "out"));
    BOHR_TRY_STATUS(gpu.fill(in.address, 1, in.bytes(), s));
    const Pool pool = gpu.make_pool();
    BOHR_TRY_STATUS(gpu.begin_capture(s, pool, "make"));
    BOHR_TRY(state, device_words(gpu, s, 256, "state"));
    BOHR_TRY_STATUS(gpu.launch(hash_words("make_state", 1, {in}, state), s));
    BOHR_TRY(graph, gpu.end_capture(s));
    BOHR_TRY(make, gpu.instantiate(graph));
    BOHR_TRY(use, captured(gpu, s, pool, "use", hash_words("use_state", 2, {state}, out)));
    BOHR_TRY_STATUS(gpu.free(state.address));
    BOHR_TRY_STATUS(gpu.begin_capture(s, pool, "other"));
    BOHR_TRY(scratch, device_words(gpu, s, 256, "scratch"));
    EXPECT_EQ(scratch.address, state.address);
    BOHR_TRY_STATUS(gpu.launch(hash_words("overwrite", 3, {in}, scratch), s));
    BOHR_TRY(last, gpu.end_capture(s));
    BOHR_TRY(other, gpu.instantiate(last));
    for (int i = 0; i < 2; ++i) {
      BOHR_TRY_STATUS(gpu.launch(make, s));
      BOHR_TRY_STATUS(gpu.launch(in_order ? use : other, s));
      BOHR_TRY_STATUS(gpu.launch(in_order ? other : use, s));
    }
    return gpu.sync_device();
  };
}

TEST(SimMemory, GraphsOfOnePoolOverwriteOneAnotherOutOfOrder) {
  const Verdict clobbered = verdict_of(run_program(shared_pool(false)));
  EXPECT_EQ(findings_of(clobbered), Lines{"WAR use_state overwrite pool"});
  const Verdict clean = verdict_of(run_program(shared_pool(true)));
  EXPECT_EQ(findings_of(clean), Lines{});
  EXPECT_EQ(clean.outcome, Outcome::clean);
}

// A pool's memory is its own while a graph or an exec of it is there; with none left it may go back
// to the driver, which is asked for more than there is otherwise.
TEST(SimMemory, APoolLivesAsLongAsItsGraphsAndExecs) {
  Options options;
  options.memory.device = uint64_t{24} << 20;
  const auto text = [](bool keep_exec) -> ProgramText {
    return [=](Runtime& gpu) -> Status {
      const Stream s = gpu.make_stream({});
      BOHR_TRY_STATUS(gpu.begin_capture(s, Pool(), "g"));
      BOHR_TRY(big, gpu.alloc(uint64_t{20} << 20, s, "big"));
      BOHR_TRY_STATUS(gpu.fill(big, 0, 16, s));
      BOHR_TRY_STATUS(gpu.free(big));
      BOHR_TRY(graph, gpu.end_capture(s));
      BOHR_TRY(exec, gpu.instantiate(graph));
      BOHR_TRY_STATUS(gpu.destroy(graph));
      if (!keep_exec) BOHR_TRY_STATUS(gpu.destroy(exec));
      BOHR_TRY(other, gpu.alloc(uint64_t{20} << 20, s, "other"));
      return gpu.fill(other, 0, 16, s);
    };
  };
  EXPECT_EQ(error_of(text(true), options).code, "out-of-memory");
  run_program(text(false), options);
}

}  // namespace
}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// The whole way on the simulated GPU: a program runs, its log is checked, and its tape is explored.
#include <gtest/gtest.h>

#include <algorithm>

#include "explore/explore.h"
#include "replay/sim/replayer.h"
#include "sim_fixture.h"

namespace bohr::gpu::sim {
namespace {

std::unique_ptr<replay::Replayer> replayer_of(const Ran& ran, const Options& options) {
  auto replayer =
      replay::sim_replayer(ran.program, ran.sim->tape(), options.timing, options.memory);
  EXPECT_TRUE(replayer.ok()) << to_string(replayer.error());
  return std::move(replayer).value();
}

Exploration explored(const ProgramText& text, Options options = {}) {
  options.memory = {uint64_t{32} << 20, 1 << 16, 1 << 16};
  const Ran ran = run_program(text, options);
  const auto replayer = replayer_of(ran, options);
  auto found = explore::explore(*replayer, verdict_of(ran), {.own_runs = 40});
  EXPECT_TRUE(found.ok()) << to_string(found.error());
  return std::move(found).value();
}

std::vector<std::string> pairs(const Exploration& exploration) {
  std::vector<std::string> lines;
  for (const Witness& witness : exploration.witnesses)
    lines.push_back(witness.first.label.substr(0, witness.first.label.find('#')) + " " +
                    witness.second.label.substr(0, witness.second.label.find('#')));
  return lines;
}

// The transients of an indexer are dropped before its side stream is joined (see sim_memory_test):
// by itself the program nearly always wins that race.
ProgramText decode(bool held_until_join) {
  return [=](Runtime& gpu) -> Status {
    const Stream main = gpu.make_stream({.name = "main"});
    const Stream side = gpu.make_stream({.name = "side"});
    const Event forked = gpu.make_event();
    const Event joined = gpu.make_event();
    BOHR_TRY(in, device_words(gpu, main, 256, "in"));
    BOHR_TRY(out, device_words(gpu, main, 256, "out"));
    BOHR_TRY(tmp, device_words(gpu, main, 256, "tmp"));
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
    BOHR_TRY_STATUS(gpu.launch(hash_words("norm", 5, {}, tmp), main));
    BOHR_TRY(kv, device_words(gpu, main, 256, "kv"));
    BOHR_TRY_STATUS(gpu.launch(hash_words("kv_store", 3, {in}, kv), main));
    BOHR_TRY_STATUS(gpu.wait(main, joined));
    if (held_until_join) BOHR_TRY_STATUS(gpu.free(q.address));
    BOHR_TRY_STATUS(gpu.launch(hash_words("attention", 4, {score, kv}, out), main));
    BOHR_TRY(graph, gpu.end_capture(main));
    BOHR_TRY(exec, gpu.instantiate(graph));
    for (int i = 0; i < 2; ++i) BOHR_TRY_STATUS(gpu.launch(exec, main));
    return gpu.sync_device();
  };
}

Options steady() {
  Options options;
  options.timing.kernels["norm"] = {4'000, 0.5};
  options.timing.kernels["indexer"] = {5'000, 0.5};
  return options;
}

TEST(SimExplore, ARaceThatIsSeldomLostHasAWitness) {
  const Exploration found = explored(decode(false), steady());
  EXPECT_EQ(pairs(found), std::vector<std::string>{"indexer kv_store"});
  ASSERT_EQ(found.witnesses.size(), 1u);
  EXPECT_EQ(found.witnesses[0].identical, 20);
  EXPECT_TRUE(found.witnesses[0].reaches_output());
  EXPECT_EQ(found.own.runs, 40);
  EXPECT_LT(found.own.different, 30);
  ASSERT_EQ(found.trials.size(), 1u);
  EXPECT_GE(found.trials[0].slack_ns, 0);
  EXPECT_GE(found.trials[0].no_slack, found.own.different) << "it is not where it goes wrong";
}

TEST(SimExplore, TheRepairedProgramHasNone) {
  const Exploration found = explored(decode(true), steady());
  EXPECT_TRUE(found.witnesses.empty());
  EXPECT_EQ(found.own.different, 0);
  EXPECT_TRUE(found.pinned.empty());
}

// `noisy` writes other bytes in each run; it is pinned, and the race beside it is still found.
TEST(SimExplore, AKernelThatVariesByItselfIsPinned) {
  const Exploration found = explored([](Runtime& gpu) -> Status {
    const Stream a = gpu.make_stream({.name = "a"});
    const Stream b = gpu.make_stream({.name = "b"});
    BOHR_TRY(x, device_words(gpu, a, 64, "x"));
    BOHR_TRY(y, device_words(gpu, a, 64, "y"));
    BOHR_TRY(z, device_words(gpu, a, 64, "z"));
    BOHR_TRY(noise, device_words(gpu, a, 64, "noise"));
    BOHR_TRY_STATUS(gpu.fill(y.address, 0, y.bytes(), a));
    BOHR_TRY_STATUS(gpu.sync_device());
    BOHR_TRY_STATUS(gpu.launch(stamp_words("noisy", x, noise), a));
    BOHR_TRY_STATUS(gpu.launch(hash_words("write", 1, {noise}, y), a));
    BOHR_TRY_STATUS(gpu.launch(hash_words("read", 2, {y}, z), b));
    return gpu.sync_device();
  });
  ASSERT_EQ(found.pinned.size(), 1u);
  EXPECT_EQ(found.pinned[0].label, "noisy");
  EXPECT_EQ(pairs(found), std::vector<std::string>{"write read"});
}

// `pad` fills the tail of what `write` fills whole, and nothing orders them.
TEST(SimExplore, ARaceInBytesWithoutMeaningIsNone) {
  const Ran ran = run_program([](Runtime& gpu) -> Status {
    const Stream a = gpu.make_stream({.name = "a"});
    const Stream b = gpu.make_stream({.name = "b"});
    BOHR_TRY(out, device_words(gpu, a, 64, "out"));
    BOHR_TRY_STATUS(gpu.sync_device());
    BOHR_TRY_STATUS(gpu.launch(hash_words("write", 1, {}, out), a));
    const Words tail{out.address + 32 * sizeof(uint32_t), 32};
    BOHR_TRY_STATUS(gpu.launch(hash_words("pad", 2, {}, tail), b));
    return gpu.sync_device();
  });
  const auto replayer = replayer_of(ran, {});
  const auto found = [&](const std::vector<Ignored>& ignored) {
    auto explored = explore::explore(*replayer, verdict_of(ran), {.ignored = ignored});
    EXPECT_TRUE(explored.ok());
    return pairs(explored.value());
  };
  const auto out = std::find_if(ran.program.lifetimes.begin(), ran.program.lifetimes.end(),
                                [](const Lifetime& lifetime) { return lifetime.name == "out"; });
  ASSERT_NE(out, ran.program.lifetimes.end());
  const uint64_t first = out->pieces.front().range.begin;
  EXPECT_EQ(found({}), std::vector<std::string>{"write pad"});
  EXPECT_TRUE(found({{{"out", 128, 256}, {first + 128, first + 256}}}).empty());
  EXPECT_EQ(found({{{"out", 0, 128}, {first, first + 128}}}),
            std::vector<std::string>{"write pad"});
  EXPECT_EQ(found({{{"out", 132, 256}, {first + 132, first + 256}}}),
            std::vector<std::string>{"write pad"})
      << "one word of the tail counts";
}

// A log that knows parameters alone leaves the pair undecided; running it decides.
TEST(SimExplore, WhatParametersLeaveOpenIsDecidedByRunning) {
  Options options;
  options.declare = false;
  const auto text = [](bool writes) -> ProgramText {
    return [=](Runtime& gpu) -> Status {
      const Stream a = gpu.make_stream({.name = "a"});
      const Stream b = gpu.make_stream({.name = "b"});
      BOHR_TRY(x, device_words(gpu, a, 64, "x"));
      BOHR_TRY(y, device_words(gpu, a, 64, "y"));
      BOHR_TRY(z, device_words(gpu, a, 64, "z"));
      BOHR_TRY_STATUS(gpu.fill(x.address, 1, x.bytes(), a));
      BOHR_TRY_STATUS(gpu.fill(y.address, 1, y.bytes(), a));
      BOHR_TRY_STATUS(gpu.fill(z.address, 1, z.bytes(), a));
      BOHR_TRY_STATUS(gpu.sync_device());
      BOHR_TRY_STATUS(
          gpu.launch(writes ? hash_words("one", 1, {}, x) : hash_words("one", 1, {x}, z), a));
      BOHR_TRY_STATUS(gpu.launch(hash_words("two", 2, {x}, y), b));
      return gpu.sync_device();
    };
  };
  const Ran ran = run_program(text(true), options);
  EXPECT_TRUE(verdict_of(ran).findings.empty());
  EXPECT_EQ(verdict_of(ran).candidates.size(), 1u);
  const Exploration found = explored(text(true), options);
  EXPECT_EQ(pairs(found), std::vector<std::string>{"one two"});
  EXPECT_TRUE(explored(text(false), options).witnesses.empty());
}

TEST(SimExplore, AProgramOfAnotherRunIsRefused) {
  const Ran one = run_program(decode(true), steady());
  const Ran other = run_program(
      [](Runtime& gpu) -> Status {
        const Stream s = gpu.make_stream({});
        BOHR_TRY(x, device_words(gpu, s, 64, "x"));
        return gpu.fill(x.address, 1, x.bytes(), s);
      },
      steady());
  const auto replayer =
      replay::sim_replayer(one.program, other.sim->tape(), Timing(), ArenaSizes());
  ASSERT_FALSE(replayer.ok());
  EXPECT_EQ(replayer.error().code, "program-tape");
}

}  // namespace
}  // namespace bohr::gpu::sim

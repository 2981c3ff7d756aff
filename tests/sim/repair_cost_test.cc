// SPDX-License-Identifier: Apache-2.0
// Repairs of programs on the simulated GPU are tried by running them there, and cost what they
// take away of the overlap.
#include <gtest/gtest.h>

#include <algorithm>

#include "fix/fix.h"
#include "replay/sim/replayer.h"
#include "sim/programs.h"
#include "sim/support.h"

namespace bohr::gpu::sim {
namespace {

Repairs repairs_of(const Ran& ran, const Options& machine) {
  fix::Options options;
  options.explore.confirmations = 2;
  options.explore.fill = 0xa5;
  options.rounds = 31;
  options.replayer = [&](const bohr::Program& repaired) {
    return replay::repaired_sim_replayer(ran.program, repaired, ran.sim->tape(), machine.timing,
                                         machine.memory);
  };
  auto repairs = fix::fix(ran.program, verdict_of(ran), options);
  EXPECT_TRUE(repairs.ok()) << to_string(repairs.error());
  return repairs.ok() ? std::move(repairs).value() : Repairs();
}

const Repair* verified(const Repairs& repairs, RepairKind kind) {
  const auto found =
      std::find_if(repairs.proposals.begin(), repairs.proposals.end(),
                   [&](const Repair& repair) { return repair.verified && repair.kind == kind; });
  return found == repairs.proposals.end() ? nullptr : &*found;
}

// A side stream reads q, which is dropped before the join; beside it main works for as long.
Status layer(Runtime& gpu) {
  const Stream main = gpu.make_stream({.name = "main"});
  const Stream side = gpu.make_stream({.name = "side"});
  const Event forked = gpu.make_event(), joined = gpu.make_event();
  BOHR_TRY(in, device_words(gpu, main, 256, "in"));
  BOHR_TRY(out, device_words(gpu, main, 256, "out"));
  BOHR_TRY(chosen, device_words(gpu, main, 256, "chosen"));
  BOHR_TRY_STATUS(gpu.fill(in.address, 1, in.bytes(), main));
  BOHR_TRY_STATUS(gpu.begin_capture(main, Pool(), "layer"));
  BOHR_TRY(q, device_words(gpu, main, 256, "q"));
  BOHR_TRY_STATUS(gpu.launch(hash_words("q_gemm", 1, {in}, q), main));
  BOHR_TRY_STATUS(gpu.record(forked, main));
  BOHR_TRY_STATUS(gpu.wait(side, forked));
  BOHR_TRY_STATUS(gpu.launch(hash_words("indexer", 2, {q}, chosen), side));
  BOHR_TRY_STATUS(gpu.record(joined, side));
  BOHR_TRY_STATUS(gpu.free(q.address));
  BOHR_TRY(kv, device_words(gpu, main, 256, "kv"));
  BOHR_TRY_STATUS(gpu.launch(hash_words("beside", 3, {in}, out), main));
  BOHR_TRY_STATUS(gpu.launch(hash_words("kv_store", 4, {in}, kv), main));
  BOHR_TRY_STATUS(gpu.wait(main, joined));
  BOHR_TRY_STATUS(gpu.launch(hash_words("attention", 5, {chosen, kv}, out), main));
  BOHR_TRY(graph, gpu.end_capture(main));
  BOHR_TRY(exec, gpu.instantiate(graph));
  BOHR_TRY_STATUS(gpu.launch(exec, main));
  return gpu.sync_device();
}

Options layer_machine() {
  Timing timing;
  timing.kernels["indexer"] = {20'000, 0.1};
  timing.kernels["beside"] = {15'000, 0.1};
  timing.kernels["kv_store"] = {10'000, 0.1};
  return small_machine(timing);
}

TEST(SimRepairCost, HoldingABlockKeepsAllOfTheOverlapAndAnEdgeSomeOfIt) {
  const Options machine = layer_machine();
  const Ran ran = run_program(layer, machine);
  const Repairs repairs = repairs_of(ran, machine);
  EXPECT_TRUE(repairs.complete);
  const Costs& costs = repairs.costs;
  EXPECT_TRUE(costs.virtual_time);
  EXPECT_EQ(costs.pairs, 31);
  EXPECT_EQ(costs.noise_us, 0) << "one seed gives one time";
  EXPECT_GT(costs.serial.more_us.low, 10);  // beside, at least

  const Repair* held = verified(repairs, RepairKind::lifetime);
  ASSERT_NE(held, nullptr);
  EXPECT_TRUE(held->cost.measured && held->cost.kept_known);
  EXPECT_EQ(held->cost.more_us.value, 0) << "it adds no order";
  EXPECT_EQ(held->cost.kept.value, 1);
  EXPECT_EQ(held->cost.pool_bytes, costs.as_is.pool_bytes + 1024) << "q and kv at once";

  const Repair* edge = verified(repairs, RepairKind::edge);
  ASSERT_NE(edge, nullptr);
  EXPECT_EQ(edge->cost.pool_bytes, costs.as_is.pool_bytes);
  // kv_store waits for indexer: of 35 us of overlap, 15 us beside it remain.
  EXPECT_GT(edge->cost.more_us.low, 0);
  EXPECT_LT(edge->cost.step_us.high, costs.serial.step_us.low);
  EXPECT_GT(edge->cost.kept.low, 0.3);
  EXPECT_LT(edge->cost.kept.high, 0.9);
  EXPECT_LE(edge->cost.kept.low, edge->cost.kept.value);
  EXPECT_LE(edge->cost.kept.value, edge->cost.kept.high);

  EXPECT_LT(costs.as_is.critical_us, edge->cost.critical_us);
  EXPECT_LT(edge->cost.critical_us, costs.serial.critical_us);
  EXPECT_EQ(held->cost.critical_us, costs.as_is.critical_us);
}

class SimRepairs : public testing::TestWithParam<RacyProgram> {};

TEST_P(SimRepairs, AreVerifiedByRunningThem) {
  const Options machine = small_machine(GetParam().timing);
  const Ran ran = run_program(GetParam().twin(false), machine);
  const Repairs repairs = repairs_of(ran, machine);
  EXPECT_TRUE(repairs.complete);
  int good = 0;
  for (const Repair& repair : repairs.proposals) {
    good += repair.verified;
    EXPECT_EQ(repair.verified, repair.cost.measured);
  }
  EXPECT_GT(good, 0);
  // What is in the reasons is known: no program here is beyond the simulated GPU.
  EXPECT_EQ(std::count(repairs.reasons.begin(), repairs.reasons.end(), "fix-not-timed"), 0);
  EXPECT_EQ(std::count(repairs.reasons.begin(), repairs.reasons.end(), "fix-not-replayed"), 0);
}

INSTANTIATE_TEST_SUITE_P(Programs, SimRepairs, testing::ValuesIn(racy_programs()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace bohr::gpu::sim

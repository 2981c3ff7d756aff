// SPDX-License-Identifier: Apache-2.0
// What goes wrong only in an order that the program never took by itself is an error that says what
// did it, where and how; the explorer passes it on.
#include <gtest/gtest.h>

#include "base/hash.h"
#include "sim/support.h"

namespace bohr::gpu::sim {
namespace {

enum class Breach { outside, mode };

// Writes one word where `index` says; declared is the first word alone. What it may not touch it
// touches in a mode that it did not declare, or outside the range.
template <Breach breach>
void store_body(gpu::Block& block) {
  const auto index = block.read<uint32_t>(block.param<uint64_t>(0)).get(0);
  const auto out = block.param<uint64_t>(1);
  if (index == 0) {
    block.write<uint32_t>(out).put(0, 1);
  } else if (breach == Breach::outside) {
    block.write<uint32_t>(out + index * sizeof(uint32_t)).put(0, 1);
  } else {
    block.update<uint32_t>(out).put(0, 1);
  }
}

// `set` makes the index 0 and `store` relies on it, from another stream, without a wait. Before
// `set` the index is 3: memory is 0 at first, so `spoil` comes first.
ProgramText index_race(Breach breach, uint64_t* out) {
  return [breach, out](Runtime& gpu) -> Status {
    const Stream a = gpu.make_stream({.name = "a"});
    const Stream b = gpu.make_stream({.name = "b"});
    BOHR_TRY(index, device_words(gpu, a, 1, "index"));
    BOHR_TRY(table, device_words(gpu, a, 64, "table"));
    BOHR_TRY_STATUS(gpu.fill(index.address, 3, 1, a));
    BOHR_TRY_STATUS(gpu.sync_device());
    BOHR_TRY_STATUS(gpu.fill(index.address, 0, index.bytes(), a));
    KernelLaunch store;
    store.kernel = {"store", breach == Breach::outside ? store_body<Breach::outside>
                                                       : store_body<Breach::mode>};
    store.params = pack(index.address, table.address);
    store.accesses = {{index.address, sizeof(uint32_t), Mode::read},
                      {table.address, sizeof(uint32_t), Mode::write}};
    *out = table.address;
    BOHR_TRY_STATUS(gpu.launch(hash_words("slack", 1, {}, {table.address + 128, 32}), b));
    BOHR_TRY_STATUS(gpu.launch(store, b));
    return gpu.sync_device();
  };
}

Error error_of_exploring(Breach breach, uint64_t* out) {
  Options machine = small_machine();
  machine.timing.kernels["slack"] = {50'000, 0};
  const Ran ran = run_program(index_race(breach, out), machine);
  const auto replayer = replayer_of(ran, machine);
  const auto exploration = explore::explore(*replayer, verdict_of(ran), {});
  EXPECT_FALSE(exploration.ok());
  if (exploration.ok()) return {};
  // It is not left half way: what follows starts from the memory of the beginning.
  EXPECT_TRUE(replayer->restore().ok());
  return exploration.error();
}

TEST(SimRefusals, AKernelThatReachesOutsideInOneOrderIsNamedWithRangeAndMode) {
  uint64_t table = 0;
  const Error error = error_of_exploring(Breach::outside, &table);
  EXPECT_EQ(error.code, "sim-access");
  EXPECT_EQ(error.what, "kernel store");
  const uint64_t begin = table + 3 * sizeof(uint32_t);
  EXPECT_EQ(error.where,
            "bytes 0x" + hex(begin, 12) + " to 0x" + hex(begin + 4, 12) + ", mode write");
}

TEST(SimRefusals, AKernelThatReadsWhatItOnlyMayWriteIsNamedToo) {
  uint64_t table = 0;
  const Error error = error_of_exploring(Breach::mode, &table);
  EXPECT_EQ(error.code, "sim-access");
  EXPECT_EQ(error.what, "kernel store");
  EXPECT_EQ(error.where,
            "bytes 0x" + hex(table, 12) + " to 0x" + hex(table + 4, 12) + ", mode update");
}

TEST(SimRefusals, ABudgetOfNothingIsRefusedBeforeAnythingRuns) {
  uint64_t table = 0;
  Options machine = small_machine();
  machine.timing.kernels["slack"] = {50'000, 0};
  const Ran ran = run_program(index_race(Breach::outside, &table), machine);
  const auto exploration =
      explore::explore(*replayer_of(ran, machine), verdict_of(ran), {.budget = 0});
  ASSERT_FALSE(exploration.ok());
  EXPECT_EQ(exploration.error().code, "explore-budget");
}

}  // namespace
}  // namespace bohr::gpu::sim

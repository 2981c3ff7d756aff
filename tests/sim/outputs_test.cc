// SPDX-License-Identifier: Apache-2.0
// What counts at the end of a recorded program: blocks that are there still, and memory that came
// from the driver and was used as it is; not the segments that blocks were cut out of.
#include "model/outputs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/support.h"

namespace bohr::gpu::sim {
namespace {

std::vector<std::string> names_of_outputs(const bohr::Program& program) {
  std::vector<std::string> names;
  for (const OutputPiece& piece : outputs_of(program))
    names.push_back(program.lifetimes[piece.lifetime.index()].name);
  return names;
}

TEST(SimOutputs, ASegmentIsNoneAndItsLiveBlocksAre) {
  const Ran ran = run_program(
      [](Runtime& gpu) -> Status {
        const Stream s = gpu.make_stream({.name = "s"});
        BOHR_TRY(kept, device_words(gpu, s, 64, "kept"));
        BOHR_TRY(dropped, device_words(gpu, s, 64, "dropped"));
        BOHR_TRY(pinned, host_words(gpu, HostMemory::pinned, 64, "pinned"));
        BOHR_TRY_STATUS(gpu.fill(dropped.address, 1, dropped.bytes(), s));
        BOHR_TRY_STATUS(gpu.launch(hash_words("use", 1, {dropped, pinned}, kept), s));
        return gpu.free(dropped.address);
      },
      small_machine());
  std::vector<std::string> names = names_of_outputs(ran.program);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"kept", "pinned"}));
}

// A race that only changes what a freed block held, and what is overwritten later, is a race; it
// reaches no output.
TEST(SimOutputs, ARaceOnDeadScratchReachesNone) {
  const Explored run = explored(
      [](Runtime& gpu) -> Status {
        const Stream a = gpu.make_stream({.name = "a"});
        const Stream b = gpu.make_stream({.name = "b"});
        BOHR_TRY(x, device_words(gpu, a, 64, "x"));
        BOHR_TRY(y, device_words(gpu, a, 64, "y"));
        BOHR_TRY_STATUS(gpu.fill(x.address, 1, x.bytes(), a));
        BOHR_TRY_STATUS(gpu.sync_device());
        BOHR_TRY_STATUS(gpu.launch(hash_words("write", 1, {}, x), a));
        BOHR_TRY_STATUS(gpu.launch(hash_words("read", 2, {x}, y), b));
        BOHR_TRY_STATUS(gpu.sync_device());
        BOHR_TRY_STATUS(gpu.free(x.address));
        return gpu.free(y.address);
      },
      small_machine());
  ASSERT_EQ(run.exploration.witnesses.size(), 1u);
  EXPECT_FALSE(run.exploration.witnesses[0].reaches_output());
  EXPECT_EQ(run.exploration.witnesses[0].damaged.label, "read");
}

}  // namespace
}  // namespace bohr::gpu::sim

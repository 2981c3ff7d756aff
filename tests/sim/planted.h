// SPDX-License-Identifier: Apache-2.0
// Random programs for the simulated GPU that are right, and twins of them with one mistake: kernels
// on several streams over shared buffers and short-lived blocks, with a wait wherever one kernel
// needs another, eager or captured.
//
// A mistake is one call left out that nothing else stands in for: a wait of a side stream, a wait
// of the stream that the program begins and ends on (a join), or what keeps a block from being
// handed out again while another stream uses it (the wait before its free, or record_stream).
#pragma once

#include <cstdint>
#include <vector>

#include "unit/sim_fixture.h"

namespace bohr::gpu::sim {

enum class Mistake : uint8_t { missing_wait, missing_join, early_reuse };

struct Action {
  enum Kind : uint8_t { kernel, record, wait, alloc, free, use_on } kind = kernel;
  size_t stream = 0;
  size_t number = 0;          // of the kernel; of the kernel that is recorded or waited for
  std::vector<size_t> reads;  // kernel: memory, by number
  size_t memory = 0;          // kernel: that it writes; alloc, free, use_on
  bool guards = false;        // wait, use_on: keeps a block from being handed out too early
};

struct Script {
  size_t streams = 0;
  size_t buffers = 0;  // the first memories; the others are blocks
  size_t memories = 0;
  bool captured = false;
  std::vector<Action> actions;

  // Also gives the outputs' addresses away, where asked for.
  ProgramText text(std::vector<Words>* buffers_out = nullptr) const;
};

struct Plan {
  uint64_t seed = 1;
  size_t kernels = 10;  // at least 4
  size_t streams = 2;
  bool captured = false;
  Mistake mistake = Mistake::missing_wait;
};

Script right_script(const Plan& plan);

struct Planted {
  Script right;
  Script wrong;
  Options machine;  // for both
};

// Of the calls that can be left out one is chosen whose absence check tells, so that it is a
// mistake.
Planted planted(const Plan& plan);

// For programs of this size; kernels of different lengths, the same for all seeds of a run.
Options machine_of(const Plan& plan);

}  // namespace bohr::gpu::sim

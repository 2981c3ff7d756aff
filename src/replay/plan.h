// SPDX-License-Identifier: Apache-2.0
// What a replayer that runs real code must know of a program: the memory that each step names.
// A plain value, so that it can be sent to where the code is.
#pragma once

#include <span>
#include <vector>

#include "base/range.h"
#include "model/program.h"
#include "model/step.h"

namespace bohr::replay {

struct PlanStep {
  std::vector<ByteRange> named;      // it may touch these; sorted, disjoint
  std::vector<ByteRange> may_write;  // of them, all that it does not merely read, block by block
  std::vector<ByteRange> writes;     // it writes these, known without looking (copies and fills)
  bool runs = true;  // false: the early part of a kernel, which runs whole as its rest
};

struct Plan {
  std::vector<PlanStep> steps;
  std::vector<ByteRange> blank;    // what stands here at the start means nothing
  std::vector<ByteRange> watched;  // to be saved and observed although no step may name it
};

Plan plan_of(const Program& program, std::span<const Step> steps);

// A program of so many steps that says nothing else: one launch of a graph of kernels.
Program bare_program(size_t steps);

}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
// Symbolic memory: runs a whole program, without a GPU, in a given total order of its steps.
//
// Memory is cut into cells at every end of an access, so that each access covers whole cells. A
// cell holds a value and a version. A step reads first, then writes a hash of its label and of all
// that its op has read so far, launch numbers left out; so a value is equal in two orders when it
// was computed from the same things by the same nodes, and hashes differ otherwise save for chance
// (64 bits). An atomic update adds its hash, which commutes. The version names the step, launch
// numbers included, that last wrote the cell, plus the sum of the atomic updates since.
//
// Two results are kept. `outputs` is a digest of the values that count at the end: buffers that are
// not scratch, allocations never freed, and what is declared live. `log` holds for each access and
// cell the version that was seen or replaced, in an arrangement that does not depend on the order;
// an atomic sees the last version that no atomic made. Two orders with equal logs are the same
// computation. If two conflicting steps are unordered, two orders exist that differ only in which
// of the two comes first, next to each other, and their logs differ in one of the two; if none are,
// all orders have one log. That makes the log the exact counterpart of "no hazard".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "model/step.h"

namespace bohr::replay {

struct SymbolicOutcome {
  uint64_t outputs = 0;
  std::vector<uint64_t> log;
  bool operator==(const SymbolicOutcome&) const = default;
};

class SymbolicMemory {
 public:
  // Takes all that it needs: the program may go afterwards.
  explicit SymbolicMemory(const Program& program);

  const std::vector<Step>& steps() const { return steps_; }  // in issue order
  // Runs all steps; `order` holds each index into steps() once. Starts from the initial memory.
  const SymbolicOutcome& run(std::span<const int32_t> order);

  // The same in parts: reset(), then run_step() for each step. Values may be changed in between.
  void reset();
  void run_step(int32_t step);
  // The values of the cells that a range touches, in address order; the range's own where its ends
  // are ends of accesses or blocks.
  std::span<uint64_t> values(ByteRange range);
  // By cell: whether all of it lies in `ranges`, which are sorted and disjoint. Empty where none
  // does.
  std::vector<uint8_t> cells_within(std::span<const ByteRange> ranges) const;
  // The digest of what the cells that a range touches hold, less those marked in `left_out`.
  uint64_t digest_of(ByteRange range, std::span<const uint8_t> left_out) const;

 private:
  struct Visit {  // one access to one cell
    int32_t cell;
    AccessMode mode;
  };
  struct StepCells {
    uint64_t label_hash = 0;
    int32_t carried_from = -1;  // the step of the same op whose reads this one has in its registers
    uint32_t begin = 0;         // into visits_, and into the log
    uint32_t end = 0;
  };

  std::vector<Step> steps_;
  std::vector<uint64_t> ends_;  // cell i lies between ends i and i + 1
  std::vector<StepCells> step_cells_;
  std::vector<Visit> visits_;
  std::vector<int32_t> output_cells_;
  // Memory, by cell, and what each step has read.
  std::vector<uint64_t> value_;
  std::vector<uint64_t> version_;
  std::vector<uint64_t> base_version_;
  std::vector<uint64_t> read_digest_;
  SymbolicOutcome outcome_;
};

// Evaluates one schedule that names every step of the program once.
Result<SymbolicOutcome> run(const Program& program, std::span<const Step> schedule);

}  // namespace bohr::replay

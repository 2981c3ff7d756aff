// SPDX-License-Identifier: Apache-2.0
// Happens-before over the steps of a whole program: what linear extensions are made of.
//
// A launch is unrolled into the steps of its nodes. The rows of program_order say, for every chain
// of the program, how much of it an op is ordered after; the last op known of each chain is
// therefore enough to stand for all it is ordered after, and likewise inside a graph. These give
// the arrows: op to op, launch to its nodes and back, node to node. One pass over them in an order
// in which they all point forward (issue order outside graphs, a topological order inside) joins
// the rows again, now over chains of steps alone: a step joins the chain of its stream where that
// chain's last step happens before it, else any such chain, else it starts one. So a step's
// predecessors are again the last step known of each chain, less those that another one implies.
// Where a cover by fewer chains is found (order/chain_cover.h) the pass is made again on that one.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "model/step.h"
#include "order/clocks.h"

namespace bohr::order {

struct StepOrder {
  std::vector<Step> steps;     // in issue order: steps_of(program)
  std::vector<int32_t> chain;  // of step i
  int32_t chains = 0;
  Clocks clocks;
  std::vector<int32_t> clock_step;  // of step i, in `clocks`
  std::vector<uint32_t> begin;      // of step i's predecessors in `arrows`
  std::vector<int32_t> arrows;

  size_t size() const { return steps.size(); }
  bool before(int32_t a, int32_t b) const {
    return clocks.before(clock_step[static_cast<size_t>(a)], clock_step[static_cast<size_t>(b)]);
  }
  bool ordered(int32_t a, int32_t b) const { return a == b || before(a, b) || before(b, a); }
  // Their transitive closure is `before`.
  std::span<const int32_t> predecessors(int32_t step) const {
    const auto i = static_cast<size_t>(step);
    return {arrows.data() + begin[i], arrows.data() + begin[i + 1]};
  }
};

// Refuses what program_order() and graph_order() do, and rows of more than `most_entries`
// (`order-too-large`).
Result<StepOrder> step_order(const Program& program, bool strict_threads,
                             size_t most_entries = kMostEntries);

}  // namespace bohr::order

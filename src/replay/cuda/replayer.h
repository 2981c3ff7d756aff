// SPDX-License-Identifier: Apache-2.0
// The replayer of one launch of one CUDA graph, in the process that owns it.
//
// Steps are issued one after the other on a stream of our own, from descriptors, so any order can
// be run without instantiating anything. What steps write is observed: the first learn() runs them
// in issue order twice, once with what stands in memory and once with zeros where the program
// itself leaves nothing (blocks that are handed out within the graph) and where the first run
// changed something, and looks after each step which bytes changed.
//
// Blocks that are too large to be saved whole take two calls of learn(): the first ends with the
// error `explore-observe`; pause() then lets the program make its launch, resume() looks at the
// next one which pages that wrote, and learn() goes on.
//
// Assumes that nothing else uses the memory meanwhile and that the context which owns the graph is
// current on the calling thread, the same one throughout.
#pragma once

#include <cuda.h>

#include <chrono>
#include <memory>
#include <vector>

#include "replay/cuda/driver.h"
#include "replay/cuda/node.h"
#include "replay/plan.h"
#include "replay/replayer.h"

namespace bohr::replay::cuda {

// The program may say no more than how many steps there are; `plan` has one entry for each.
// `nodes`: for each step its node in `work`. `exec` may be null: then there are no runs of the
// program by itself.
struct Launch {
  Program program;
  Plan plan;
  std::shared_ptr<const GraphWork> work;
  std::vector<int32_t> nodes;
  CUgraphExec exec = nullptr;
  unsigned long long flags = 0;              // that it was instantiated with
  std::chrono::milliseconds longest{20000};  // what may run at one go, or else hangs
  std::chrono::milliseconds slice{500};      // for which time() begins new rounds
};

// Refuses by the reason of the first node that cannot be run. `driver` must outlive the replayer.
Result<std::unique_ptr<Replayer>> cuda_replayer(const Driver& driver, Launch launch);

}  // namespace bohr::replay::cuda

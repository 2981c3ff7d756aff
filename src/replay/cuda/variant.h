// SPDX-License-Identifier: Apache-2.0
// The launch's own graph once more, built from descriptors, with more edges or as a chain: what a
// repaired program would instantiate.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>

#include "base/result.h"
#include "replay/cuda/moved_work.h"
#include "replay/cuda/own_graph.h"
#include "replay/plan.h"
#include "replay/replayer.h"

namespace bohr::replay::cuda {

// The steps of a launch, as nodes.
struct StepNodes {
  const GraphWork& work;
  std::span<const int32_t> nodes;  // by step
  std::span<const PlanStep> plan;
};

// Instantiated with `flags`, as far as they say how nodes run. Refuses (`no-own-run`) edges that
// were not read, order that makes a circle, and order with a child graph as a whole.
Result<std::unique_ptr<OwnGraph>> variant_graph(Device* device, const StepNodes& steps,
                                                const Variant& variant, unsigned long long flags);

// What a timing needs beside the nodes.
struct TimingNeeds {
  std::function<Status()> put_back;           // memory as it was saved; waits for nothing
  std::function<Status(int32_t)> issue_step;  // on the device's stream
  std::chrono::milliseconds most{500};        // after so long no further round begins
  unsigned long long flags = 0;
};

// Times by the device's own clock: events around each launch, behind work that keeps the device
// busy until the host has issued all of it. The steps' own times are taken in the first serial
// order among the variants.
Result<Timings> timings_of(Device* device, const StepNodes& steps,
                           std::span<const Variant> variants, int32_t rounds,
                           const TimingNeeds& needs);

}  // namespace bohr::replay::cuda

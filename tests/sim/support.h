// SPDX-License-Identifier: Apache-2.0
// From a program on the simulated GPU to what exploring its tape finds, and a replayer that keeps
// an account of the orders it ran.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explore/explore.h"
#include "forwarding_replayer.h"
#include "model/exploration.h"
#include "order/step_order.h"
#include "replay/replayer.h"
#include "unit/sim_fixture.h"

namespace bohr::gpu::sim {

// A machine that is small enough to be made thousands of times.
Options small_machine(const Timing& timing = {});

std::unique_ptr<replay::Replayer> replayer_of(const Ran& ran, const Options& options);

// Notes each order that it ran.
class Account final : public test::ForwardingReplayer {
 public:
  using ForwardingReplayer::ForwardingReplayer;
  Result<replay::Outcome> run(const replay::Request& request) override;

  // Replays up to the first one of an order; 0: it was never run.
  int64_t replays_to(const std::vector<Step>& order) const;

 private:
  std::vector<uint64_t> orders_;  // digests, in turn
};

struct Found {
  Exploration exploration;
  int64_t replays_to_witness = 0;  // up to the first run of a wrong schedule; 0: no witness
};

// Explores what ran; `told` is what the explorer knows beforehand.
Found find(const Ran& ran, const Options& machine, const Verdict& told,
           const explore::Options& options = {});

struct Explored : Found {
  Ran ran;
  Verdict verdict;
};

// Runs, checks and explores.
Explored explored(const ProgramText& text, const Options& machine,
                  const explore::Options& options = {});

// "read write", labels without node numbers and launches, earlier label first in issue order.
std::vector<std::string> pairs_of(const Exploration& exploration);

// The steps' places in issue order.
std::vector<int32_t> schedule_of(std::span<const Step> steps, const std::vector<Step>& order);

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// Finds what varies by itself, and pins it.
//
// The baseline is replayed until `rounds` replays in a row agree. Where two disagree, steps that
// wrote other bytes although nothing they read came from another such step are the sources: each is
// pinned to what it wrote in one replay. What followed from them then agrees by itself. Outputs
// that still vary although no step does (sums of atomic updates) are masked.
#pragma once

#include "explore/footprints.h"
#include "explore/runner.h"

namespace bohr::explore {

struct Calibrated {
  Run reference;
  std::vector<int32_t> pinned;
  int32_t replays = 0;
};

Result<Calibrated> calibrate(Runner* runner, const Footprints& uses, const Schedule& baseline,
                             int32_t rounds);

// The share of output bytes that cannot show a difference: ignored, masked, or last written by a
// pinned step.
double masked_share(const Runner& runner, const Footprints& uses, const Schedule& baseline,
                    std::span<const int32_t> pinned);

}  // namespace bohr::explore

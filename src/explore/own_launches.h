// SPDX-License-Identifier: Apache-2.0
// What the program leaves when it runs as it does by itself: the measure of a baseline where access
// sets are not known from the trace.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "explore/footprints.h"
#include "explore/runner.h"

namespace bohr::explore {

// By output: what every one of the runs left there; nothing where they differ.
using OwnOutputs = std::vector<std::optional<uint64_t>>;

// Nothing where the program cannot run by itself.
Result<std::optional<OwnOutputs>> own_outputs(Runner* runner, uint64_t seed, int32_t runs);

bool is_stable(const OwnOutputs& own);
// On each output that is the same in all runs.
bool agree(const std::vector<uint64_t>& outputs, const OwnOutputs& own);
// Whether each output that differs, and is not masked, follows from a step of `pinned`: the runs do
// not pin it.
bool vary_as_pinned(const Runner& runner, const Footprints& uses, const Schedule& baseline,
                    std::span<const int32_t> pinned, const OwnOutputs& own);

}  // namespace bohr::explore

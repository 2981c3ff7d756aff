// SPDX-License-Identifier: Apache-2.0
// Groups findings by source mistake.
//
// An instance is one missing edge or one too-short lifetime. Findings of class `reuse` and
// `lifetime` are of one instance when the same lifetime was freed too early; the others when one
// missing edge implies the other: a finding (a, b) is implied by (c, d) when a is c or before it,
// and b is d or after it. A site is what instances share in the source: class, kernel names, and
// the stacks of issue, allocation and free; addresses, node and graph numbers are left out.
#pragma once

#include <vector>

#include "check/arena.h"
#include "check/describe.h"
#include "model/verdict.h"

namespace bohr::check {

// `unlisted[i]`: pairs counted beyond finding i. Sets Finding::cause, returns causes in the order
// of their first finding, ids from 1.
std::vector<Cause> group_causes(const Program& program, const Arenas& arenas,
                                const Describer& describer, const std::vector<int64_t>& unlisted,
                                std::vector<Finding>* findings);

// The same for candidates: most suspicious first.
std::vector<Cause> group_candidates(const Program& program, const Arenas& arenas,
                                    const Describer& describer,
                                    const std::vector<int64_t>& unlisted,
                                    std::vector<Finding>* candidates);

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// Medians of measurements and how far they can be trusted.
#pragma once

#include <span>

#include "model/cost.h"

namespace bohr::fix {

// Fewer values than this have no interval of 95%.
constexpr size_t kFewestValues = 6;

// The median and an interval that holds it in 95% of cases, whatever the values' distribution: both
// ends are values, as many from either end as a fair coin falls on one side that seldom (the order
// statistics of the binomial distribution). Needs kFewestValues.
Interval median_of(std::span<const double> values);

// Of what overlap gains the share that is kept, from runs in the same rounds: the median of
// serial - repaired over the median of serial - as_is. The interval is from drawing rounds anew,
// with replacement and as wholes, so that what a round's three runs share cancels (a bootstrap of
// the percentiles, with a fixed seed).
Interval kept_of(std::span<const double> as_is, std::span<const double> serial,
                 std::span<const double> repaired);

}  // namespace bohr::fix

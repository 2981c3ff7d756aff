// SPDX-License-Identifier: Apache-2.0
// The share of trials that something happened in, with the interval that holds the true one.
//
// The interval is Clopper and Pearson's: it asks which shares make what was seen no rarer than the
// confidence allows, by the binomial distribution itself. So it holds for few trials too, and where
// nothing happened its upper end says what so many trials can exclude.
#pragma once

#include <cstdint>

namespace bohr::stats {

struct Share {
  double share = 0;
  double low = 0;
  double high = 1;
};

// `happened` of `trials` that are independent; without trials anything may be.
Share share_of(int64_t happened, int64_t trials, double confidence = 0.95);

}  // namespace bohr::stats

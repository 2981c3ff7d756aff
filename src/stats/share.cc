// SPDX-License-Identifier: Apache-2.0
#include "stats/share.h"

#include <boost/math/distributions/binomial.hpp>

#include "base/check.h"

namespace bohr::stats {

Share share_of(int64_t happened, int64_t trials, double confidence) {
  BOHR_CHECK(happened >= 0 && happened <= trials && confidence > 0 && confidence < 1);
  if (trials == 0) return {};
  using Binomial = boost::math::binomial_distribution<double>;
  const auto n = static_cast<double>(trials), k = static_cast<double>(happened);
  const double tail = (1 - confidence) / 2;
  return {k / n, Binomial::find_lower_bound_on_p(n, k, tail),
          Binomial::find_upper_bound_on_p(n, k, tail)};
}

}  // namespace bohr::stats

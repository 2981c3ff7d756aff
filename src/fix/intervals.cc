// SPDX-License-Identifier: Apache-2.0
#include "fix/intervals.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "base/random.h"

namespace bohr::fix {

namespace {

constexpr int kDraws = 1000;
constexpr double kTail = 0.025;

double middle_of(std::vector<double>* values) {
  const auto half = values->begin() + static_cast<ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), half, values->end());
  if (values->size() % 2 == 1) return *half;
  return (*half + *std::max_element(values->begin(), half)) / 2;
}

// How many values an end of the interval is away from the smallest or largest one, that one
// included: fewer than so many of all coins show heads with a probability of at most kTail.
size_t cut_of(size_t count) {
  const auto n = static_cast<double>(count);
  double fewer = 0;
  size_t cut = 0;
  while (true) {
    const auto k = static_cast<double>(cut);
    fewer += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                      n * std::log(2.0));
    if (fewer > kTail) return cut;
    ++cut;
  }
}

}  // namespace

Interval median_of(std::span<const double> values) {
  BOHR_CHECK(values.size() >= kFewestValues);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t cut = cut_of(sorted.size());
  BOHR_CHECK(cut >= 1);
  const Interval interval{0, sorted[cut - 1], sorted[sorted.size() - cut]};
  return {middle_of(&sorted), interval.low, interval.high};
}

Interval kept_of(std::span<const double> as_is, std::span<const double> serial,
                 std::span<const double> repaired) {
  const size_t count = as_is.size();
  const auto share = [&](const std::vector<size_t>& rounds) {
    std::vector<double> kept, gained;
    for (const size_t round : rounds) {
      kept.push_back(serial[round] - repaired[round]);
      gained.push_back(serial[round] - as_is[round]);
    }
    const double gain = middle_of(&gained);
    return gain == 0 ? 0 : middle_of(&kept) / gain;
  };
  std::vector<size_t> rounds(count);
  for (size_t i = 0; i < count; ++i) rounds[i] = i;
  const double value = share(rounds);
  Random random(1);
  std::vector<double> shares;
  for (int draw = 0; draw < kDraws; ++draw) {
    for (size_t& round : rounds) round = random.below(count);
    shares.push_back(share(rounds));
  }
  std::sort(shares.begin(), shares.end());
  const auto at = static_cast<size_t>(kTail * kDraws);
  return {value, shares[at], shares[shares.size() - 1 - at]};
}

}  // namespace bohr::fix

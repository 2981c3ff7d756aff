// SPDX-License-Identifier: Apache-2.0
#include "fix/cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "explore/schedules.h"
#include "fix/apply.h"
#include "fix/intervals.h"
#include "fix/pool.h"
#include "replay/moves.h"

namespace bohr::fix {

namespace {

using Pairs = std::vector<std::pair<int32_t, int32_t>>;

constexpr double kMicrosecond = 1000;  // in nanoseconds
// The variants that are always there.
constexpr size_t kAsIs = 0, kAgain = 1, kSerial = 2, kFirstSet = 3;

// Times of one variant, by round, in microseconds.
std::vector<double> times_of(const replay::Timings& timings, size_t variants, size_t variant) {
  std::vector<double> times;
  for (size_t i = variant; i < timings.ns.size(); i += variants)
    times.push_back(timings.ns[i] / kMicrosecond);
  return times;
}

std::vector<double> minus(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences(a.size());
  std::transform(a.begin(), a.end(), b.begin(), differences.begin(), std::minus<>());
  return differences;
}

// The longest path of steps that take so long. `legal`: an order in which arrows point forward.
double critical_us(std::span<const double> step_ns, std::span<const int32_t> legal,
                   const order::StepOrder& order, const Pairs& more) {
  if (step_ns.empty()) return 0;
  std::vector<std::vector<int32_t>> before(order.size());
  for (const auto& [from, to] : more) before[static_cast<size_t>(to)].push_back(from);
  std::vector<double> end(order.size(), 0);
  double last = 0;
  for (const int32_t step : legal) {
    const auto i = static_cast<size_t>(step);
    double begin = 0;
    for (const int32_t from : order.predecessors(step))
      begin = std::max(begin, end[static_cast<size_t>(from)]);
    for (const int32_t from : before[i]) begin = std::max(begin, end[static_cast<size_t>(from)]);
    end[i] = begin + step_ns[i];
    last = std::max(last, end[i]);
  }
  return last / kMicrosecond;
}

class Meter {
 public:
  Meter(const Setting& setting, std::span<const Parts> sets)
      : setting_(setting), serial_(explore::issue_schedule(setting.steps)) {
    out_.costs.as_is.pool_bytes = pool_bytes(setting.program, {});
    out_.sets.resize(sets.size());
  }

  Status add(size_t set, const Parts& parts) {
    BOHR_TRY(repaired, with_repairs(setting_.program, parts));
    out_.sets[set].pool_bytes = pool_bytes(repaired, parts);
    BOHR_TRY(order, order::step_order(repaired, setting_.check.strict_threads));
    legal_.push_back(explore::issue_schedule(order));
    more_.push_back(more_order(setting_.steps, order));
    auto moved = replay::moves_between(setting_.program, repaired);
    moved_.push_back(moved.ok() ? std::move(moved).value() : std::vector<replay::Move>());
    return Nothing{};
  }

  Status time(replay::Replayer* replayer, int32_t rounds) {
    BOHR_TRY_STATUS(replayer->learn());
    std::vector<replay::Variant> variants(kFirstSet);
    variants[kSerial].serial = serial_;
    // Sets that change the same are one variant.
    std::vector<size_t> variant_of;
    for (size_t i = 0; i < more_.size(); ++i) {
      const replay::Variant wanted{more_[i], {}, moved_[i]};
      const auto known = std::find(variants.begin() + kFirstSet, variants.end(), wanted);
      variant_of.push_back(static_cast<size_t>(known - variants.begin()));
      if (known == variants.end()) variants.push_back(wanted);
    }
    auto timings = replayer->time(variants, rounds);
    if (!timings.ok()) {
      if (timings.error().code != "no-timing") return timings.error();
      out_.reasons.emplace_back("fix-not-timed");
      return Nothing{};
    }
    tell(timings.value(), variants.size(), variant_of);
    return Nothing{};
  }

  Measured take() { return std::move(out_); }

 private:
  void tell(const replay::Timings& timings, size_t variants, std::span<const size_t> variant_of) {
    Costs& costs = out_.costs;
    costs.virtual_time = timings.virtual_time;
    costs.pairs = static_cast<int32_t>(timings.ns.size() / variants);
    tell_critical(timings.step_ns);
    if (static_cast<size_t>(costs.pairs) < kFewestValues) {
      out_.reasons.emplace_back("fix-not-timed");
      return;
    }
    as_is_ = times_of(timings, variants, kAsIs);
    again_ = times_of(timings, variants, kAgain);
    slow_ = times_of(timings, variants, kSerial);
    const Interval noise = median_of(minus(again_, as_is_));
    costs.noise_us = std::max(std::abs(noise.low), std::abs(noise.high));
    const Interval gain = median_of(minus(slow_, as_is_));
    gains_ = gain.low > 0 && gain.value > costs.noise_us;
    tell_times(as_is_, &costs.as_is);
    tell_times(slow_, &costs.serial);
    for (size_t i = 0; i < out_.sets.size(); ++i)
      tell_times(times_of(timings, variants, variant_of[i]), &out_.sets[i]);
  }

  void tell_times(std::span<const double> times, Cost* cost) const {
    cost->measured = true;
    cost->step_us = median_of(times);
    cost->more_us = median_of(minus(times, as_is_));
    cost->kept_known = gains_;
    if (gains_) cost->kept = kept_of(as_is_, slow_, times);
  }

  void tell_critical(std::span<const double> step_ns) {
    const order::StepOrder& order = setting_.steps;
    out_.costs.as_is.critical_us = critical_us(step_ns, serial_, order, {});
    out_.costs.serial.critical_us =
        std::accumulate(step_ns.begin(), step_ns.end(), 0.0) / kMicrosecond;
    for (size_t i = 0; i < out_.sets.size(); ++i)
      out_.sets[i].critical_us = critical_us(step_ns, legal_[i], order, more_[i]);
  }

  const Setting& setting_;
  explore::Schedule serial_;
  std::vector<explore::Schedule> legal_;  // by set, an order of the repaired program
  std::vector<Pairs> more_;               // by set
  std::vector<std::vector<replay::Move>> moved_;
  std::vector<double> as_is_, again_, slow_;
  bool gains_ = false;  // overlap, more than the noise
  Measured out_;
};

}  // namespace

Pairs more_order(const order::StepOrder& as_is, const order::StepOrder& repaired) {
  BOHR_CHECK(as_is.size() == repaired.size());
  Pairs pairs;
  for (size_t i = 0; i < repaired.size(); ++i)
    for (const int32_t from : repaired.predecessors(static_cast<int32_t>(i)))
      if (!as_is.before(from, static_cast<int32_t>(i)))
        pairs.emplace_back(from, static_cast<int32_t>(i));
  return pairs;
}

Result<Measured> costs_of(const Setting& setting, std::span<const Parts> sets,
                          replay::Replayer* replayer, int32_t rounds) {
  Meter meter(setting, sets);
  for (size_t i = 0; i < sets.size(); ++i) BOHR_TRY_STATUS(meter.add(i, sets[i]));
  if (replayer != nullptr) BOHR_TRY_STATUS(meter.time(replayer, rounds));
  return meter.take();
}

}  // namespace bohr::fix

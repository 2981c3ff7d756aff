// SPDX-License-Identifier: Apache-2.0
// An event is recorded when the device comes to it, so between two of them lies what the device did
// and what it waited for: the host must be done issuing before the first is reached.
#include <algorithm>
#include <vector>

#include "replay/cuda/variant.h"

namespace bohr::replay::cuda {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr nanoseconds kLeastDelay{100'000}, kMostDelay{20'000'000};
constexpr int kStepRuns = 3;          // whose median is how long a step takes
constexpr size_t kStepsAtOnce = 100;  // that are issued behind one delay
constexpr nanoseconds kStepDelay{2'000'000};
constexpr double kMillisecond = 1e6;  // in nanoseconds

class Events {
 public:
  explicit Events(Device* device) : device_(*device) {}
  ~Events() {
    if (device_.lost()) return;
    for (CUevent event : events_) device_.driver().cuEventDestroy_v2(event);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  Status create(size_t count) {
    while (events_.size() < count) {
      CUevent event = nullptr;
      BOHR_TRY_STATUS(device_.check(device_.driver().cuEventCreate(&event, CU_EVENT_DEFAULT),
                                    "making an event"));
      events_.push_back(event);
    }
    return Nothing{};
  }
  Status record(size_t event) {
    return device_.check(device_.driver().cuEventRecord(events_[event], device_.stream()),
                         "recording an event");
  }
  // Of two that the device has come to.
  Result<double> ns_between(size_t from, size_t to) {
    float milliseconds = 0;
    BOHR_TRY_STATUS(device_.check(
        device_.driver().cuEventElapsedTime(&milliseconds, events_[from], events_[to]),
        "asking for a time"));
    return kMillisecond * static_cast<double>(milliseconds);
  }

 private:
  Device& device_;
  std::vector<CUevent> events_;
};

// A graph to be timed, and its blocks that lie elsewhere; null: none do.
struct Timed {
  std::unique_ptr<MovedWork> moved;
  std::unique_ptr<OwnGraph> graph;
};

Result<Timed> timed(Device* device, const StepNodes& steps, const Variant& variant,
                    unsigned long long flags) {
  Timed one;
  if (!variant.moved.empty()) {
    BOHR_TRY(moved, MovedWork::of(device, steps.work, steps.nodes, variant.moved));
    one.moved = std::move(moved);
  }
  const GraphWork& work = one.moved ? one.moved->work() : steps.work;
  BOHR_TRY(graph, variant_graph(device, {work, steps.nodes, steps.plan}, variant, flags));
  one.graph = std::move(graph);
  return one;
}

class Timer {
 public:
  Timer(Device* device, const TimingNeeds& needs)
      : device_(*device), needs_(needs), events_(device) {}

  Status begin() { return events_.create(kStepsAtOnce + 1); }

  // Uploads, and learns how long the host takes to launch one.
  Status warm_up(const Timed& one) {
    BOHR_TRY_STATUS(put_back(one));
    BOHR_TRY_STATUS(one.graph->launch());
    BOHR_TRY_STATUS(device_.wait());
    BOHR_TRY_STATUS(put_back(one));
    BOHR_TRY_STATUS(device_.wait());
    const auto begin = Clock::now();
    BOHR_TRY_STATUS(one.graph->launch());
    delay_ = std::clamp<nanoseconds>(2 * (Clock::now() - begin), delay_, kMostDelay);
    return device_.wait();
  }

  Result<double> run(const Timed& one) {
    BOHR_TRY_STATUS(put_back(one));
    BOHR_TRY_STATUS(device_.delay(delay_));
    BOHR_TRY_STATUS(events_.record(0));
    BOHR_TRY_STATUS(one.graph->launch());
    BOHR_TRY_STATUS(events_.record(1));
    BOHR_TRY_STATUS(device_.wait());
    BOHR_TRY(ns, events_.ns_between(0, 1));
    return std::max(ns, 1.0);
  }

  // By step, in one run of the order.
  Result<std::vector<double>> step_by_step(std::span<const int32_t> order) {
    std::vector<double> times(order.size(), 0);
    BOHR_TRY_STATUS(needs_.put_back());
    for (size_t from = 0; from < order.size(); from += kStepsAtOnce) {
      const size_t count = std::min(kStepsAtOnce, order.size() - from);
      BOHR_TRY_STATUS(device_.delay(kStepDelay));
      BOHR_TRY_STATUS(events_.record(0));
      for (size_t i = 0; i < count; ++i) {
        BOHR_TRY_STATUS(needs_.issue_step(order[from + i]));
        BOHR_TRY_STATUS(events_.record(i + 1));
      }
      BOHR_TRY_STATUS(device_.wait());
      for (size_t i = 0; i < count; ++i) {
        BOHR_TRY(ns, events_.ns_between(i, i + 1));
        times[static_cast<size_t>(order[from + i])] = ns;
      }
    }
    return times;
  }

 private:
  Status put_back(const Timed& one) {
    BOHR_TRY_STATUS(needs_.put_back());
    return one.moved ? one.moved->fill() : Status(Nothing{});
  }

  Device& device_;
  const TimingNeeds& needs_;
  Events events_;
  nanoseconds delay_ = kLeastDelay;
};

Status time_steps(Timer* timer, std::span<const int32_t> order, std::vector<double>* medians) {
  std::vector<std::vector<double>> runs;
  for (int run = 0; run < kStepRuns; ++run) {
    BOHR_TRY(times, timer->step_by_step(order));
    runs.push_back(std::move(times));
  }
  for (size_t i = 0; i < order.size(); ++i) {
    std::vector<double> times;
    times.reserve(runs.size());
    for (const std::vector<double>& run : runs) times.push_back(run[i]);
    std::nth_element(times.begin(), times.begin() + kStepRuns / 2, times.end());
    medians->push_back(times[kStepRuns / 2]);
  }
  return Nothing{};
}

}  // namespace

Result<Timings> timings_of(Device* device, const StepNodes& steps,
                           std::span<const Variant> variants, int32_t rounds,
                           const TimingNeeds& needs) {
  std::vector<Timed> graphs;
  for (const Variant& variant : variants) {
    auto one = timed(device, steps, variant, needs.flags);
    if (!one.ok() && (one.error().code == "replay-moved" || one.error().code == "no-own-run"))
      return Error{"no-timing", one.error().what, "", one.error().why, one.error().remedy};
    if (!one.ok()) return one.error();
    graphs.push_back(std::move(one).value());
  }
  Timer timer(device, needs);
  BOHR_TRY_STATUS(timer.begin());
  for (const Timed& one : graphs) BOHR_TRY_STATUS(timer.warm_up(one));
  Timings timings;
  const auto until = Clock::now() + needs.most;
  for (int32_t round = 0; round < rounds && (round == 0 || Clock::now() < until); ++round) {
    std::vector<double> times(graphs.size(), 0);
    // Each is first in its turn, so that none always follows the same one.
    for (size_t i = 0; i < graphs.size(); ++i) {
      const size_t variant = (i + static_cast<size_t>(round)) % graphs.size();
      BOHR_TRY(ns, timer.run(graphs[variant]));
      times[variant] = ns;
    }
    timings.ns.insert(timings.ns.end(), times.begin(), times.end());
  }
  for (const Variant& variant : variants) {
    if (variant.serial.empty()) continue;
    BOHR_TRY_STATUS(time_steps(&timer, variant.serial, &timings.step_ns));
    break;
  }
  return timings;
}

}  // namespace bohr::replay::cuda

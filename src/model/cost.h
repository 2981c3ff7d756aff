// SPDX-License-Identifier: Apache-2.0
// What it costs to run work in one way or another. Plain values.
#pragma once

#include <cstdint>
#include <string>

namespace bohr {

// A median, and the interval in which it lies with 95% confidence.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

// One way to run the work. Times are microseconds of one run.
struct Cost {
  bool measured = false;    // step_us and more_us are
  Interval step_us;         // how long a run takes
  Interval more_us;         // more than the program as it is, from pairs of runs
  bool kept_known = false;  // false: what overlap gains is not larger than the noise
  Interval kept;            // share of what overlap gains: fully serial 0, as it is 1
  double critical_us = 0;   // length of the critical path, an estimate; 0: durations not known
  uint64_t pool_bytes = 0;  // the most that was handed out at once; 0: not known
};

// What the repairs' costs are held against.
struct Costs {
  Cost as_is;
  Cost serial;                // all steps one after the other
  double noise_us = 0;        // the most by which the medians of runs as it is may differ
  int32_t pairs = 0;          // of runs, for each way
  bool virtual_time = false;  // of the simulated GPU; else of a device
  std::string of;             // the graph that was timed; empty: the whole program
};

}  // namespace bohr

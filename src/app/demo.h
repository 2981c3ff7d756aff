// SPDX-License-Identifier: Apache-2.0
// `bohr demo`: the whole story of one mistake in one program, live on the simulated GPU, and, where
// they are shipped, what is found in traces that were recorded on a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/demo_arms.h"
#include "app/demo_record.h"
#include "app/demo_traces.h"
#include "base/result.h"
#include "report/layout.h"

namespace bohr::app::demo {

struct Options {
  std::string traces;    // the folder of recorded traces; empty: there is none
  int64_t steps = 1000;  // counted for each way of running the program
  uint64_t seed = 1;
};

// One way of running the program.
struct Way {
  ArmCount count;
  Checked checked;
};

// All that the story tells is taken from here, and all that is here was measured.
struct Measured {
  Options options;
  std::string device;        // for people; empty: the simulated GPU
  std::string right_answer;  // to the question of the first wrong one
  std::vector<Way> ways;     // by Arm
  Fixed race;                // two streams: checked, explored, repaired
  Explored repaired;
  std::vector<TracePair> traces;

  bool on_gpu() const { return !device.empty(); }
  const Way& way(Arm arm) const { return ways[static_cast<size_t>(arm)]; }
};

Result<Measured> measure(const Options& options);
// In words, what came out otherwise than it must; empty: every verdict is the expected one.
std::vector<std::string> unexpected(const Measured& measured);

std::string story_text(const Measured& measured, const report::Style& style);
std::string story_json(const Measured& measured);
std::string story_page(const Measured& measured);

}  // namespace bohr::app::demo

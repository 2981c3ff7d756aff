// SPDX-License-Identifier: Apache-2.0
// How often the demo's layer goes wrong in each arm, counted.
//
// An arm runs in virtual time under one seed after the other; each run answers its questions anew.
// A step is wrong when its tokens, or the rows that it stored in the cache, are not those of the
// reference, to the last bit. What follows a wrong step builds on it, so a run counts up to its
// first wrong step and no further: each step that counts began right. Runs go on until a fixed
// number of steps has been counted, which makes the steps trials of one chance, so that their share
// has an interval.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "app/demo_layer.h"
#include "base/result.h"
#include "stats/share.h"

namespace bohr::app::demo {

struct ArmCount {
  Arm arm = Arm::eager;
  int64_t steps = 0;  // counted
  int64_t wrong = 0;
  stats::Share share;
  int64_t runs = 0;
  int64_t wrong_runs = 0;
  double step_us = 0;  // of the first run: virtual time of its steps, divided by their number
  int32_t wrong_sequence = -1;  // the first wrong answer that was given; -1: none
  std::string wrong_answer;
};

// What every arm must leave: eager, one op after the other in issue order.
Result<Left> reference(const Learned& learned);
Result<ArmCount> count_wrong(Arm arm, const Learned& learned, const Left& right, int64_t steps,
                             uint64_t seed);

const char* to_string(Arm arm);  // "eager", "graph, one stream", …
constexpr std::array<Arm, 4> kArms = {Arm::eager, Arm::one_stream, Arm::two_streams, Arm::repaired};

}  // namespace bohr::app::demo

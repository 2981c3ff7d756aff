// SPDX-License-Identifier: Apache-2.0
#include "app/demo_arms.h"

#include <algorithm>

#include "gpu/sim/concurrent.h"
#include "gpu/sim/serial.h"

namespace bohr::app::demo {

namespace sim = gpu::sim;

namespace {

// The first step that left anything else; all steps where none did.
int64_t right_steps(const Left& left, const Left& right) {
  const auto end = left.steps.end();
  return std::mismatch(left.steps.begin(), end, right.steps.begin()).first - left.steps.begin();
}

int32_t wrong_sequence(const Left& left, const Left& right) {
  for (size_t i = 0; i < left.tokens.size(); ++i)
    if (left.tokens[i] != right.tokens[i]) return static_cast<int32_t>(i % kBatch);
  return -1;
}

// From the start of the first step's work to the end of the last one's.
double step_us(const Ran& ran, const std::vector<sim::Span>& spans) {
  int64_t begin = INT64_MAX, end = 0;
  for (const sim::Span& span : spans) {
    const sim::Work& work = work_of(ran.tape, span.item);
    if (work.kind == sim::WorkKind::kernel && work.launch.kernel.name == "embed")
      begin = std::min(begin, span.begin);
    end = std::max(end, span.end);
  }
  return static_cast<double>(end - begin) / 1000 / ran.steps;
}

}  // namespace

Result<Left> reference(const Learned& learned) {
  BOHR_TRY(ran, run_arm(Arm::eager, kLongest, learned, ""));
  sim::Arena arena(memory());
  BOHR_TRY_STATUS(run_serial(ran.tape, items_of(ran.tape), 0, &arena));
  return what_is_left(ran, arena);
}

Result<ArmCount> count_wrong(Arm arm, const Learned& learned, const Left& right, int64_t steps,
                             uint64_t seed) {
  BOHR_TRY(ran, run_arm(arm, kLongest, learned, ""));
  ArmCount count;
  count.arm = arm;
  sim::Arena arena(memory());
  while (count.steps < steps) {
    const uint64_t own = seed + static_cast<uint64_t>(count.runs++);
    BOHR_TRY(spans, run_concurrent(ran.tape, timing(), own, &arena));
    if (count.runs == 1) count.step_us = step_us(ran, spans);
    const Left left = what_is_left(ran, arena);
    const int64_t good = right_steps(left, right);
    const bool wrong = good < ran.steps && count.steps + good < steps;
    count.steps = std::min(steps, count.steps + good + (wrong ? 1 : 0));
    count.wrong += wrong;
    if (const int32_t sequence = wrong_sequence(left, right); sequence >= 0) {
      ++count.wrong_runs;
      if (count.wrong_sequence >= 0) continue;
      count.wrong_sequence = sequence;
      count.wrong_answer = answer_text(left.tokens, sequence);
    }
  }
  count.share = stats::share_of(count.wrong, count.steps);
  return count;
}

const char* to_string(Arm arm) {
  constexpr std::array<const char*, 4> kWords = {"eager, two streams", "graph, one stream",
                                                 "graph, two streams", "the same, repaired"};
  return kWords[static_cast<size_t>(arm)];
}

}  // namespace bohr::app::demo

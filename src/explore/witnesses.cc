// SPDX-License-Identifier: Apache-2.0
// A good schedule on the way of a bisection equals the baseline, so either may stand for it.
#include "explore/witnesses.h"

#include "explore/suspects.h"

namespace bohr::explore {

Result<Critical> critical_pair(Runner* runner, const Baseline& baseline, const Schedule& bad,
                               bool in_outputs) {
  return bisect(baseline.schedule, bad, [&](const Schedule& schedule) -> Result<bool> {
    BOHR_TRY(run, runner->try_run(schedule, baseline.reference));
    const Difference difference = runner->difference(schedule, baseline.reference, run);
    return in_outputs ? run.complete && difference.outputs.empty() : difference.none();
  });
}

namespace {

std::vector<Step> steps_of(const order::StepOrder& order, const Schedule& schedule) {
  std::vector<Step> steps;
  for (const int32_t step : schedule) steps.push_back(order.steps[static_cast<size_t>(step)]);
  return steps;
}

Status run_in_one_piece(Runner* runner, const Critical& critical, const Run& right,
                        const Run& wrong, Witness* witness) {
  const auto same = [&](const std::vector<uint64_t>& outputs, const Run& stepped) {
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!runner->is_masked(static_cast<int32_t>(i)) && outputs[i] != stepped.outputs[i])
        return false;
    return true;
  };
  BOHR_TRY(good, runner->run_whole(critical.good));
  witness->whole = same(good, right) ? WholeRuns::agree : WholeRuns::disagree;
  if (!wrong.complete) return Nothing{};
  BOHR_TRY(bad, runner->run_whole(critical.bad));
  if (!same(bad, wrong)) witness->whole = WholeRuns::disagree;
  return Nothing{};
}

}  // namespace

Result<Witness> make_witness(Runner* runner, const Program& program, const Footprints& uses,
                             const order::StepOrder& order, const Baseline& baseline,
                             const Critical& critical, int32_t confirmations, bool whole_too) {
  Witness witness;
  witness.right_is_baseline = baseline.right;
  witness.filled = runner->filled();
  witness.ignored = runner->ignored();
  witness.first = name_of(program, order.steps[static_cast<size_t>(critical.first)]);
  witness.second = name_of(program, order.steps[static_cast<size_t>(critical.second)]);
  const int32_t cell = uses.conflict_cell(critical.first, critical.second);
  if (cell >= 0) witness.range = name_of(program, uses, critical.second, cell);
  witness.right = steps_of(order, critical.good);
  witness.wrong = steps_of(order, critical.bad);

  BOHR_TRY(right, runner->run(critical.good));
  BOHR_TRY(wrong, runner->try_run(critical.bad, right));
  witness.stopped = !wrong.complete;
  witness.right_digest = digest_of(right);
  witness.wrong_digest = digest_of(wrong);
  const Difference difference = runner->difference(critical.bad, right, wrong);
  if (difference.step >= 0)
    witness.damaged = name_of(program, order.steps[static_cast<size_t>(difference.step)]);
  for (const int32_t output : difference.outputs) {
    const OutputPiece& piece = runner->outputs()[static_cast<size_t>(output)];
    witness.outputs.push_back(name_of(program, piece.lifetime, piece.range));
  }
  witness.replays = witness.identical = 1;
  for (; witness.replays < confirmations; ++witness.replays) {
    BOHR_TRY(right_again, runner->run(critical.good));
    BOHR_TRY(wrong_again, runner->try_run(critical.bad, right));
    witness.identical += right_again == right && wrong_again == wrong;
  }
  if (whole_too) BOHR_TRY_STATUS(run_in_one_piece(runner, critical, right, wrong, &witness));
  return witness;
}

}  // namespace bohr::explore

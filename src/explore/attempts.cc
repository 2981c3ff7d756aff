// SPDX-License-Identifier: Apache-2.0
// One replay tells whether an order differs; a bisection is spent only where it may tell something
// new.
#include "explore/attempts.h"

#include <algorithm>

#include "explore/equivalence.h"

namespace bohr::explore {

namespace {

constexpr int kStaleBisections = 3;

}  // namespace

void Attempts::start(Baseline baseline) {
  baseline_ = std::move(baseline);
  tried_.clear();
  tried_[order_key(baseline_.schedule, setting_.uses)] = {};
  place_.resize(baseline_.schedule.size());
  for (size_t i = 0; i < place_.size(); ++i)
    place_[static_cast<size_t>(baseline_.schedule[i])] = static_cast<int32_t>(i);
}

Result<Attempt> Attempts::attempt(const Schedule& schedule, bool wanted) {
  const uint64_t key = order_key(schedule, setting_.uses);
  if (const auto found = tried_.find(key); found != tried_.end()) {
    ++result_->equivalent;
    return found->second;
  }
  BOHR_TRY(run, runner_->try_run(schedule, baseline_.reference));
  ++result_->orders;
  Attempt& attempt = tried_[key];
  const Difference difference = runner_->difference(schedule, baseline_.reference, run);
  if (difference.none()) return attempt;
  ++result_->different;
  differed_ = true;
  attempt.result = TrialResult::diverges;
  const LostOrder* lost = runner_->find_lost(schedule);
  if (lost != nullptr) return attempt_lost(*lost, &attempt);
  const bool in_outputs = !difference.outputs.empty();
  const bool news = in_outputs && !has_output_witness();
  if (!wanted && !news && stale_bisections_ >= kStaleBisections) return attempt;
  BOHR_TRY(critical, critical_pair(runner_, baseline_, schedule, in_outputs));
  attempt.first = critical.first;
  attempt.second = critical.second;
  BOHR_TRY_STATUS(keep_witness(critical, in_outputs));
  return attempt;
}

// Each order on the way to one that was lost may be another such: none of them runs on.
Result<Attempt> Attempts::attempt_lost(const LostOrder& lost, Attempt* attempt) {
  runner_->be_careful(true);
  const auto critical = critical_pair(runner_, baseline_, lost.order, false);
  Status kept = Nothing{};
  if (critical.ok()) {
    attempt->first = critical.value().first;
    attempt->second = critical.value().second;
    note_lost(lost, critical.value());
    const LostOrder* fatal = runner_->find_lost(critical.value().bad);
    if (fatal == nullptr || !fatal->stopping) kept = keep_witness(critical.value(), false);
  }
  runner_->be_careful(false);
  if (!critical.ok()) return critical.error();
  if (!kept.ok()) return kept.error();
  return *attempt;
}

void Attempts::note_lost(const LostOrder& lost, const Critical& critical) {
  LostProcess& told = result_->lost;
  if (!told.reason.empty()) return;
  const auto& steps = setting_.order.steps;
  told.reason = lost.reason;
  told.earlier = true;
  for (const int32_t step : lost.order) told.order.push_back(steps[static_cast<size_t>(step)]);
  told.early = name_of(setting_.program, steps[static_cast<size_t>(critical.second)]);
  told.late = name_of(setting_.program, steps[static_cast<size_t>(critical.first)]);
}

Attempts::Key Attempts::key_of(const Critical& critical) const {
  const auto step = [&](int32_t index) { return setting_.order.steps[static_cast<size_t>(index)]; };
  const int32_t finding =
      finding_of(setting_.program, setting_.verdict, step(critical.first), step(critical.second));
  if (finding >= 0) return {setting_.verdict.findings[static_cast<size_t>(finding)].cause, 0, 0};
  return {0, std::min(critical.first, critical.second), std::max(critical.first, critical.second)};
}

Status Attempts::keep_witness(const Critical& critical, bool in_outputs) {
  const Key key = key_of(critical);
  const auto found = witness_of_.find(key);
  const bool known = found != witness_of_.end() &&
                     (result_->witnesses[found->second].reaches_output() || !in_outputs);
  stale_bisections_ = known ? stale_bisections_ + 1 : 0;
  if (known) return Nothing{};
  BOHR_TRY(witness, make_witness(runner_, setting_.program, setting_.uses, setting_.order,
                                 baseline_, critical, setting_.confirmations, setting_.whole_too));
  witness.cause = std::get<0>(key);
  if (found != witness_of_.end()) {
    result_->witnesses[found->second] = std::move(witness);
  } else {
    witness_of_[key] = result_->witnesses.size();
    result_->witnesses.push_back(std::move(witness));
  }
  return Nothing{};
}

bool Attempts::has_output_witness() const {
  return std::any_of(result_->witnesses.begin(), result_->witnesses.end(),
                     [](const Witness& witness) { return witness.reaches_output(); });
}

bool Attempts::has_witness(int32_t cause) const {
  return cause != 0 && witness_of_.contains({cause, 0, 0});
}

Result<TrialResult> Attempts::reverse(const Suspect& suspect) {
  differed_ = false;
  int32_t first = suspect.first, second = suspect.second;
  if (place_[static_cast<size_t>(first)] > place_[static_cast<size_t>(second)])
    std::swap(first, second);
  TrialResult best = TrialResult::same_bytes;
  for (const bool advance : {true, false}) {
    const Schedule schedule = advance
                                  ? with_advanced(setting_.order, baseline_.schedule, first, second)
                                  : with_delayed(setting_.order, baseline_.schedule, first, second);
    BOHR_TRY(attempt, this->attempt(schedule, true));
    if (attempt.result == TrialResult::same_bytes) continue;
    const std::pair<int32_t, int32_t> pair = std::minmax(attempt.first, attempt.second);
    if (pair == std::pair(suspect.first, suspect.second)) return TrialResult::diverges;
    best = TrialResult::elsewhere;
  }
  return best;
}

}  // namespace bohr::explore

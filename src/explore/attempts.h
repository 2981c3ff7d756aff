// SPDX-License-Identifier: Apache-2.0
// Tries orders: each once up to equivalence, against the baseline, and makes witnesses of what
// differs.
#pragma once

#include <map>
#include <vector>

#include "explore/suspects.h"
#include "explore/witnesses.h"

namespace bohr::explore {

struct Attempt {
  TrialResult result = TrialResult::same_bytes;  // or diverges
  int32_t first = -1, second = -1;               // the critical pair, where it was bisected
};

// What all attempts share; `order` and `uses` are of the replayer's program.
struct Setting {
  const Program& program;
  const Verdict& verdict;
  const order::StepOrder& order;
  const Footprints& uses;
  int32_t confirmations;
  bool whole_too;
};

class Attempts {
 public:
  Attempts(const Setting& setting, Runner* runner, Exploration* result)
      : setting_(setting), runner_(runner), result_(result) {}

  // Forgets what was tried; witnesses stay.
  void start(Baseline baseline);
  const Baseline& baseline() const { return baseline_; }

  // `wanted`: bisect even if that may lead to a pair that has its witness. An order that is
  // equivalent to an earlier one gives what that one gave, without a replay.
  Result<Attempt> attempt(const Schedule& schedule, bool wanted);
  // The two orders nearest the baseline that reverse only this pair.
  Result<TrialResult> reverse(const Suspect& suspect);
  // Whether an order differed since the last call of reverse() began.
  bool differed() const { return differed_; }

  bool has_witness(int32_t cause) const;

 private:
  // What witnesses are kept one of: a cause, or for pairs of no finding the pair.
  using Key = std::tuple<int32_t, int32_t, int32_t>;
  Key key_of(const Critical& critical) const;
  Status keep_witness(const Critical& critical, bool in_outputs);
  // For an order that ended its process in an earlier search.
  Result<Attempt> attempt_lost(const LostOrder& lost, Attempt* attempt);
  void note_lost(const LostOrder& lost, const Critical& critical);
  bool has_output_witness() const;

  Setting setting_;
  Runner* runner_;
  Exploration* result_;
  Baseline baseline_;
  std::vector<int32_t> place_;  // of each step in the baseline
  std::map<uint64_t, Attempt> tried_;
  std::map<Key, size_t> witness_of_;
  int stale_bisections_ = 0;  // that led to pairs known already, one after the other
  bool differed_ = false;
};

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// What is wrong with a program is counted, so that of two sets of repairs the better one is known
// although neither may be enough.
#include "fix/fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "check/check.h"
#include "fix/apply.h"
#include "fix/cost.h"
#include "fix/preference.h"
#include "fix/proposals.h"
#include "fix/repaired.h"
#include "fix/webs.h"

namespace bohr::fix {

namespace {

constexpr size_t kMostPartsDropped = 100;  // parts of a proposal that are tried one by one
constexpr int kRounds = 3;  // of choosing among each cause's proposals, the others' being fixed

// Of a program with repairs: how much is left, and the first of it in words. Nothing left: it
// holds.
struct Left {
  int64_t findings = 0;
  std::string what;
  bool run = false;  // a run of it says so
  bool none() const { return findings == 0; }
};

class Fixer {
 public:
  Fixer(const Setting& setting, const Options& options) : setting_(setting), options_(options) {
    for (size_t i = 0; i < setting.right_place.size(); ++i) right_.push_back(0);
    for (size_t i = 0; i < right_.size(); ++i)
      right_[static_cast<size_t>(setting.right_place[i])] = static_cast<int32_t>(i);
  }

  Result<Repairs> run() {
    for (const Cause& cause : setting_.verdict.causes) {
      if (cause.suppressed) continue;
      proposals_.push_back(proposals_for(setting_, cause));
      chosen_.push_back(0);
    }
    Repairs repairs;
    if (!options_.replayer) repairs.reasons.emplace_back("fix-not-replayed");
    BOHR_TRY_STATUS(choose());
    BOHR_TRY(all, what_is_left(all_parts()));
    repairs.complete = all.none();
    // The chosen ones lose what they do not need first, for the others are tried beside them.
    for (int round = 0; round < kRounds && drops_; ++round) {
      drops_ = false;
      for (size_t i = 0; i < proposals_.size(); ++i) BOHR_TRY_STATUS(verify(i, true));
    }
    for (size_t i = 0; i < proposals_.size(); ++i) BOHR_TRY_STATUS(verify(i, false));
    BOHR_TRY_STATUS(measure(&repairs));
    for (std::vector<Repair>& list : proposals_) by_preference(list);
    for (size_t i = 0; i < proposals_.size(); ++i) {
      if (proposals_[i].empty()) repairs.reasons.emplace_back("fix-none");
      for (Repair& repair : proposals_[i]) repairs.proposals.push_back(std::move(repair));
    }
    if (varies_) repairs.reasons.emplace_back("fix-varies");
    if (parts_untried_) repairs.reasons.emplace_back("fix-parts-untried");
    auto& reasons = repairs.reasons;
    std::sort(reasons.begin(), reasons.end());
    reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
    return repairs;
  }

 private:
  // The chosen parts of all causes; of cause `instead` those of `parts`.
  std::vector<RepairPart> all_parts(size_t instead = SIZE_MAX,
                                    const std::vector<RepairPart>& parts = {}) const {
    std::vector<RepairPart> all;
    const auto add = [&](const std::vector<RepairPart>& more) {
      for (const RepairPart& part : more)
        if (std::find(all.begin(), all.end(), part) == all.end()) all.push_back(part);
    };
    for (size_t i = 0; i < proposals_.size(); ++i) {
      if (i == instead)
        add(parts);
      else if (!proposals_[i].empty())
        add(proposals_[i][chosen_[i]].parts);
    }
    return all;
  }

  // --- what a set of repairs leaves ---

  // One set is asked for more than once, and may take many replays.
  Result<Left> what_is_left(const std::vector<RepairPart>& parts) {
    const auto same = [](const RepairPart& a, const RepairPart& b) {
      return a == b && a.until.graph == b.until.graph && a.until.index == b.until.index;
    };
    for (const auto& [known, left] : tried_)
      if (std::equal(known.begin(), known.end(), parts.begin(), parts.end(), same)) return left;
    BOHR_TRY(left, tried(parts));
    tried_.emplace_back(parts, left);
    return left;
  }

  Result<Left> tried(const std::vector<RepairPart>& parts) {
    auto with = repaired(setting_, parts);
    if (!with.ok()) return Left{INT64_MAX, with.error().why};
    BOHR_TRY(left, checked(with.value()));
    if (!left.none() || !options_.replayer) return left;
    return explored(with.value());
  }

  Result<Left> checked(const Repaired& with) {
    auto verdict = check::check(with.program, with.check);
    if (!verdict.ok()) return Left{INT64_MAX, verdict.error().why};
    const std::vector<Finding>& findings = verdict.value().findings;
    if (!findings.empty()) {
      const Finding& one = findings.front();
      return Left{static_cast<int64_t>(findings.size()),
                  fmt::format("{} | {} is left", one.first.label, one.second.label)};
    }
    if (right_.empty()) return wrongly_read(with.program);
    BOHR_TRY(order, order::step_order(with.program, with.check.strict_threads));
    if (order.size() == right_.size() && explore::is_legal(order, right_)) return Left{};
    return Left{1, "the order in which every read sees its writer is not legal with it"};
  }

  // Where no order is right as it is, each read must have got its writer back. What is recorded is
  // not known well enough for that.
  Result<Left> wrongly_read(const Program& repaired) {
    if (setting_.program.recorded) return Left{};
    BOHR_TRY(kept, keeps_intents(setting_, repaired, {}));
    return kept ? Left{} : Left{1, "a read does not see the writer that is meant for it"};
  }

  Result<Left> explored(const Repaired& with) {
    BOHR_TRY(verdict, check::check(with.program, with.check));
    auto replayer = options_.replayer(with.program);
    if (!replayer.ok()) return Left{1, "it cannot be replayed: " + replayer.error().why};
    auto explored = explore::explore(*replayer.value(), verdict, options_.explore);
    if (!explored.ok() && explored.error().code == "replay-moved")
      return Left{1, explored.error().what + ": " + explored.error().why, true};
    if (!explored.ok()) return explored.error();
    const Exploration& exploration = explored.value();
    BOHR_TRY_STATUS(was_searched(exploration));
    if (exploration.different > 0)
      return Left{exploration.different, still_differs(exploration), true};
    if (exploration.baseline == BaselineKind::none) return Left{1, "no order of it is right", true};
    const OwnLaunches own = exploration.own_launches;
    // Steps that vary by themselves are pinned where orders are run, and cannot be in a whole run:
    // what follows from them varies, and the rest was compared.
    const bool varies = own == OwnLaunches::unstable && exploration.own_vary_as_pinned;
    if (own == OwnLaunches::different || (own == OwnLaunches::unstable && !varies))
      return Left{1, "run as a whole it does not leave what its orders do", true};
    varies_ = varies_ || varies;
    return Left{};
  }

  static std::string still_differs(const Exploration& exploration) {
    std::string text =
        fmt::format("{} of {} orders still differ", exploration.different, exploration.orders);
    if (exploration.witnesses.empty()) return text;
    const Witness& witness = exploration.witnesses.front();
    return text + fmt::format("; {} | {} still fails, {} of {}", witness.first.label,
                              witness.second.label, witness.identical, witness.replays);
  }

  // A search that was ended from outside says nothing of what it did not come to.
  Status was_searched(const Exploration& exploration) const {
    for (const char* reason : {"process-lost", "watchdog", "remote-lost", "interrupted",
                               "foreign-writer", "memory-changed"})
      if (std::count(exploration.reasons.begin(), exploration.reasons.end(), reason) > 0)
        return Error{reason, setting_.program.source, "", "the trial of a repair was ended early",
                     "run it again"};
    return Nothing{};
  }

  // --- choosing ---

  Status choose() {
    BOHR_TRY(best, what_is_left(all_parts()));
    for (int round = 0; round < kRounds && !best.none(); ++round) {
      bool better = false;
      for (size_t i = 0; i < proposals_.size() && !best.none(); ++i) {
        for (size_t p = 0; p < proposals_[i].size(); ++p) {
          if (p == chosen_[i]) continue;
          BOHR_TRY(left, what_is_left(all_parts(i, proposals_[i][p].parts)));
          if (left.findings >= best.findings) continue;
          best = left;
          chosen_[i] = p;
          better = true;
        }
      }
      if (!better) return Nothing{};
    }
    return Nothing{};
  }

  // --- verifying ---

  // The chosen proposal of a cause, or its other ones.
  Status verify(size_t cause, bool chosen) {
    for (size_t p = 0; p < proposals_[cause].size(); ++p) {
      if ((p == chosen_[cause]) != chosen) continue;
      Repair& repair = proposals_[cause][p];
      repair.chosen = chosen;
      BOHR_TRY(left, what_is_left(all_parts(cause, repair.parts)));
      if (!left.none()) {
        BOHR_TRY(why, refutation(left, all_parts(cause, repair.parts)));
        repair.refuted = std::move(why);
        repair.failed = left.run;
        continue;
      }
      BOHR_TRY_STATUS(drop_what_is_not_needed(cause, &repair));
      repair.covered = repair.parts.empty();
      repair.verified = !repair.covered;
      repair.by_check = repair.verified && !options_.replayer;
      const auto moves = [](const RepairPart& part) { return part.kind != RepairKind::edge; };
      const std::vector<RepairPart> all = all_parts(cause, repair.parts);
      repair.in_copy =
          options_.in_copy && repair.verified && std::any_of(all.begin(), all.end(), moves);
    }
    return Nothing{};
  }

  // What the check says is left, and the orders that show it where they can be run at no one's
  // cost.
  Result<std::string> refutation(const Left& left, const std::vector<RepairPart>& parts) {
    auto with = repaired(setting_, parts);
    const bool said = left.what.find(" still differ") != std::string::npos;
    if (said || !with.ok() || !options_.replayer || options_.in_copy) return left.what;
    BOHR_TRY(shown, explored(with.value()));
    return shown.none() ? left.what : left.what + "; " + shown.what;
  }

  // After this every part is needed: without it something is left.
  Status drop_what_is_not_needed(size_t cause, Repair* repair) {
    size_t tries = kMostPartsDropped;
    for (size_t i = repair->parts.size(); i-- > 0;) {
      if (tries-- == 0) {
        parts_untried_ = true;
        return Nothing{};
      }
      std::vector<RepairPart> without = repair->parts;
      without.erase(without.begin() + static_cast<ptrdiff_t>(i));
      BOHR_TRY(left, what_is_left(all_parts(cause, without)));
      if (!left.none()) continue;
      repair->parts = std::move(without);
      drops_ = true;
    }
    return Nothing{};
  }

  // --- measuring ---

  Status measure(Repairs* repairs) {
    std::vector<Parts> sets;
    std::vector<Repair*> measured;
    for (size_t i = 0; i < proposals_.size(); ++i)
      for (Repair& repair : proposals_[i])
        if (repair.verified) {
          sets.push_back(all_parts(i, repair.parts));
          measured.push_back(&repair);
        }
    if (sets.empty()) return Nothing{};
    std::unique_ptr<replay::Replayer> replayer;
    if (options_.replayer) {
      BOHR_TRY(made, options_.replayer(setting_.program));
      replayer = std::move(made);
    }
    // What was verified stands, though it may be that it cannot be timed any more.
    auto timed = costs_of(setting_, sets, replayer.get(), options_.rounds);
    if (!timed.ok() && replayer) {
      timed = costs_of(setting_, sets, nullptr, options_.rounds);
      repairs->reasons.emplace_back("fix-not-timed");
    }
    if (!timed.ok()) return timed.error();
    const Measured& costs = timed.value();
    repairs->costs = costs.costs;
    for (size_t i = 0; i < measured.size(); ++i) measured[i]->cost = costs.sets[i];
    repairs->reasons.insert(repairs->reasons.end(), costs.reasons.begin(), costs.reasons.end());
    return Nothing{};
  }

  const Setting& setting_;
  const Options& options_;
  explore::Schedule right_;                     // empty: none is known
  std::vector<std::vector<Repair>> proposals_;  // by cause
  std::vector<std::pair<std::vector<RepairPart>, Left>> tried_;
  bool parts_untried_ = false;
  bool varies_ = false;
  bool drops_ = true;           // a part was dropped: without it others may not be needed any more
  std::vector<size_t> chosen_;  // index of each cause's
};

}  // namespace

std::vector<explore::Schedule> schedules_of(const Program& program,
                                            const Exploration& exploration) {
  const std::vector<Step> steps = steps_of(program);
  std::map<Step, int32_t> place;
  for (size_t i = 0; i < steps.size(); ++i) place[steps[i]] = static_cast<int32_t>(i);
  std::vector<explore::Schedule> schedules;
  for (const Witness& witness : exploration.witnesses)
    for (const std::vector<Step>* order : {&witness.right, &witness.wrong}) {
      explore::Schedule schedule;
      for (const Step& step : *order)
        if (const auto found = place.find(step); found != place.end())
          schedule.push_back(found->second);
      if (schedule.size() == steps.size()) schedules.push_back(std::move(schedule));
    }
  return schedules;
}

Result<Repairs> fix(const Program& program, const Verdict& verdict, const Options& options) {
  BOHR_TRY(setting, setting_of(program, verdict, options.check, options.shown));
  return Fixer(setting, options).run();
}

}  // namespace bohr::fix

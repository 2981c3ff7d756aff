// SPDX-License-Identifier: Apache-2.0
// The stages in their order; each ends early when the budget is used up.
#include "explore/explore.h"

#include <algorithm>
#include <map>
#include <set>

#include "explore/all_orders.h"
#include "explore/calibrate.h"
#include "explore/equivalence.h"
#include "explore/intended.h"
#include "explore/suspects.h"
#include "explore/witnesses.h"

namespace bohr::explore {

namespace {

constexpr int64_t kBaselineTrials = 10000;
// Bisections of orders found blindly that may lead to pairs known already, one after the other.
constexpr int kStaleBisections = 3;

class Explorer {
 public:
  Explorer(replay::Replayer& replayer, const Verdict& verdict, const Options& options,
           order::StepOrder order, Footprints uses)
      : program_(replayer.program()),
        verdict_(verdict),
        options_(options),
        order_(std::move(order)),
        uses_(std::move(uses)),
        runner_(replayer, options.budget) {}

  Result<Exploration> run() {
    result_.steps = static_cast<int64_t>(order_.size());
    result_.chains = order_.chains;
    result_.budget = options_.budget;
    result_.seed = options_.seed;
    const Status status = stages();
    if (!status.ok() && !is_budget(status.error())) return status.error();
    if (!status.ok()) result_.reasons.push_back("budget");
    result_.replays = runner_.replays();
    return std::move(result_);
  }

 private:
  Status stages() {
    BOHR_TRY_STATUS(find_baseline());
    suspects_ = suspects_of(program_, order_, uses_, verdict_);
    for (const Suspect& suspect : suspects_)
      result_.trials.push_back({suspect.candidate, suspect.index, TrialResult::not_tried, 0, -1});
    BOHR_TRY_STATUS(reverse_suspects());
    BOHR_TRY_STATUS(reverse_with_zeros());
    BOHR_TRY_STATUS(delay_chains());
    BOHR_TRY_STATUS(try_random());
    if (options_.all_orders) BOHR_TRY_STATUS(try_all());
    return run_unforced();
  }

  Status find_baseline() {
    const std::vector<Intent> wanted = intents(program_, order_, uses_);
    baseline_.schedule = issue_schedule(order_);
    if (const auto right = right_schedule(order_, uses_, wanted, kBaselineTrials)) {
      const bool issued = *right == baseline_.schedule;
      result_.baseline = issued ? BaselineKind::issue_order : BaselineKind::reordered;
      baseline_.schedule = *right;
    } else {
      result_.baseline = BaselineKind::none;
      result_.broken_reads = broken_intents(baseline_.schedule, uses_, wanted);
      baseline_.right = false;
    }
    BOHR_TRY(calibrated,
             calibrate(&runner_, uses_, baseline_.schedule, options_.calibration_rounds));
    baseline_.reference = std::move(calibrated.reference);
    result_.calibration_replays = calibrated.replays;
    for (const int32_t step : calibrated.pinned)
      result_.pinned.push_back(name_of(program_, order_.steps[static_cast<size_t>(step)]));
    result_.masked = masked_share(runner_, uses_, baseline_.schedule, calibrated.pinned);
    if (result_.masked > 0.5) result_.reasons.push_back("outputs-masked");
    tried_.insert(order_key(baseline_.schedule, uses_));
    place_.resize(order_.size());
    for (size_t i = 0; i < order_.size(); ++i)
      place_[static_cast<size_t>(baseline_.schedule[i])] = static_cast<int32_t>(i);
    return Nothing{};
  }

  // --- one order ---

  struct Attempt {
    TrialResult result = TrialResult::same_bytes;
    int32_t first = -1, second = -1;  // the critical pair, where it was bisected
  };

  // `wanted`: bisect even if that may lead to a pair that has its witness.
  Result<Attempt> attempt(const Schedule& schedule, bool wanted) {
    if (!tried_.insert(order_key(schedule, uses_)).second) {
      ++result_.equivalent;
      return Attempt{TrialResult::equivalent};
    }
    ++result_.orders;
    BOHR_TRY(run, runner_.run(schedule));
    const Difference difference = runner_.difference(schedule, baseline_.reference, run);
    if (difference.none()) return Attempt{};
    ++result_.different;
    differed_ = true;
    Attempt attempt{TrialResult::diverges};
    const bool in_outputs = !difference.outputs.empty();
    const bool news = in_outputs && !has_output_witness();
    if (!wanted && !news && stale_bisections_ >= kStaleBisections) return attempt;
    BOHR_TRY(critical, critical_pair(&runner_, baseline_, schedule, in_outputs));
    attempt.first = critical.first;
    attempt.second = critical.second;
    BOHR_TRY_STATUS(keep_witness(critical, in_outputs));
    return attempt;
  }

  // What witnesses are kept one of: a cause, or for pairs of no finding the pair.
  int32_t cause_of(const Critical& critical) {
    const int32_t finding =
        finding_of(program_, verdict_, order_.steps[static_cast<size_t>(critical.first)],
                   order_.steps[static_cast<size_t>(critical.second)]);
    return finding < 0 ? 0 : verdict_.findings[static_cast<size_t>(finding)].cause;
  }

  Status keep_witness(const Critical& critical, bool in_outputs) {
    const int32_t cause = cause_of(critical);
    const auto pair = std::minmax(critical.first, critical.second);
    const auto key = std::tuple(cause, cause ? 0 : pair.first, cause ? 0 : pair.second);
    const auto found = witness_of_.find(key);
    if (found != witness_of_.end() &&
        (result_.witnesses[found->second].reaches_output() || !in_outputs)) {
      ++stale_bisections_;
      return Nothing{};
    }
    stale_bisections_ = 0;
    BOHR_TRY(witness, make_witness(&runner_, program_, uses_, order_, baseline_, critical,
                                   options_.confirmations));
    witness.cause = cause;
    if (found != witness_of_.end()) {
      result_.witnesses[found->second] = std::move(witness);
    } else {
      witness_of_[key] = result_.witnesses.size();
      result_.witnesses.push_back(std::move(witness));
    }
    return Nothing{};
  }

  // --- the orders ---

  bool has_output_witness() const {
    return std::any_of(result_.witnesses.begin(), result_.witnesses.end(),
                       [](const Witness& witness) { return witness.reaches_output(); });
  }

  bool has_full_witness(int32_t cause) const {
    const auto found = witness_of_.find(std::tuple(cause, 0, 0));
    return cause != 0 && found != witness_of_.end() &&
           result_.witnesses[found->second].reaches_output();
  }

  Status reverse_suspects() {
    std::map<int32_t, int32_t> places;  // tried, by cause
    for (size_t i = 0; i < suspects_.size(); ++i) {
      const Suspect& suspect = suspects_[i];
      if (!suspect.candidate && has_full_witness(suspect.cause) &&
          ++places[suspect.cause] > options_.places_per_cause)
        continue;
      differed_ = false;
      const Result<TrialResult> result = reverse(suspect);
      // Without budget for its bisection it still differed.
      if (!result.ok() && differed_)
        result_.trials[i] = {suspect.candidate, suspect.index, TrialResult::diverges, 1, -1};
      if (!result.ok()) return result.error();
      result_.trials[i].result = result.value();
      result_.trials[i].contents = 1;
    }
    return Nothing{};
  }

  // Stale bytes of an equal input equal right ones: what gave the same bytes is tried again with
  // the racy bytes zeroed.
  Status reverse_with_zeros() {
    const auto is_same = [](const Trial& trial) { return trial.result == TrialResult::same_bytes; };
    if (std::none_of(result_.trials.begin(), result_.trials.end(), is_same)) return Nothing{};
    std::vector<ByteRange> racy;
    for (const int32_t cell : uses_.racy_cells()) racy.push_back(uses_.range(cell));
    BOHR_TRY_STATUS(runner_.zero(racy));
    if (runner_.zeroed().empty()) return Nothing{};
    BOHR_TRY(reference, runner_.run(baseline_.schedule));
    std::swap(baseline_.reference, reference);
    std::set<uint64_t> tried = {order_key(baseline_.schedule, uses_)};
    std::swap(tried_, tried);
    for (size_t i = 0; i < suspects_.size(); ++i) {
      if (!is_same(result_.trials[i])) continue;
      BOHR_TRY(result, reverse(suspects_[i]));
      result_.trials[i].contents = 2;
      if (result != TrialResult::equivalent) result_.trials[i].result = result;
    }
    std::swap(tried_, tried);
    std::swap(baseline_.reference, reference);
    return runner_.zero({});
  }

  Result<TrialResult> reverse(const Suspect& suspect) {
    int32_t first = suspect.first, second = suspect.second;
    if (place_[static_cast<size_t>(first)] > place_[static_cast<size_t>(second)])
      std::swap(first, second);
    TrialResult best = TrialResult::equivalent;
    for (const bool advance : {true, false}) {
      const Schedule schedule = advance ? with_advanced(order_, baseline_.schedule, first, second)
                                        : with_delayed(order_, baseline_.schedule, first, second);
      BOHR_TRY(attempt, this->attempt(schedule, true));
      const std::pair<int32_t, int32_t> pair = std::minmax(attempt.first, attempt.second);
      if (attempt.result == TrialResult::diverges &&
          pair != std::pair(suspect.first, suspect.second))
        attempt.result = TrialResult::elsewhere;
      if (attempt.result == TrialResult::diverges) return attempt.result;
      if (attempt.result != TrialResult::equivalent) best = attempt.result;
    }
    return best;
  }

  Status delay_chains() {
    for (int32_t chain = 0; chain < order_.chains; ++chain)
      BOHR_TRY_STATUS(try_blindly(with_chain_delayed(order_, baseline_.schedule, chain)));
    result_.pairs_covered = true;
    return Nothing{};
  }

  Status try_random() {
    result_.random_depth = options_.random_depth;
    result_.random_bound = pct_bound(order_, options_.random_depth);
    for (int32_t i = 0; i < options_.random_orders && order_.chains > 1; ++i) {
      const uint64_t seed = options_.seed * 1000003 + static_cast<uint64_t>(i);
      BOHR_TRY_STATUS(try_blindly(random_schedule(order_, seed, options_.random_depth)));
      ++result_.random_orders;
    }
    return Nothing{};
  }

  Status try_all() {
    Status status = Nothing{};
    const bool all = for_each_order(order_, uses_, [&](const Schedule& schedule) {
      status = try_blindly(schedule);
      return status.ok();
    });
    result_.exhaustive = all;
    return status;
  }

  Status try_blindly(const Schedule& schedule) {
    BOHR_TRY_STATUS(attempt(schedule, false));
    return Nothing{};
  }

  // --- the program by itself ---

  Status run_unforced() {
    for (int32_t i = 0; i < options_.own_runs; ++i) {
      auto outcome = runner_.replayer().run_unforced(options_.seed + static_cast<uint64_t>(i));
      if (!outcome.ok() && outcome.error().code == "no-own-run") return Nothing{};
      if (!outcome.ok()) return outcome.error();
      BOHR_TRY(outputs, runner_.output_digests());
      const Run left{baseline_.reference.steps, std::move(outputs), {}};
      const Difference difference =
          runner_.difference(baseline_.schedule, baseline_.reference, left);
      ++result_.own.runs;
      result_.own.different += !difference.outputs.empty();
      note_slack(outcome.value().spans);
    }
    return Nothing{};
  }

  // The least time between the end of one step of a suspect and the start of the other.
  void note_slack(const std::vector<replay::Span>& spans) {
    if (spans.empty()) return;
    for (size_t i = 0; i < suspects_.size(); ++i) {
      const replay::Span& a = spans[static_cast<size_t>(suspects_[i].first)];
      const replay::Span& b = spans[static_cast<size_t>(suspects_[i].second)];
      if (a.begin_ns < 0 || b.begin_ns < 0) continue;
      const bool forward = a.begin_ns <= b.begin_ns;
      const int64_t slack =
          std::max<int64_t>(0, forward ? b.begin_ns - a.end_ns : a.begin_ns - b.end_ns);
      int64_t& least = result_.trials[i].slack_ns;
      least = least < 0 ? slack : std::min(least, slack);
    }
  }

  const Program& program_;
  const Verdict& verdict_;
  const Options& options_;
  order::StepOrder order_;
  Footprints uses_;
  Runner runner_;
  Baseline baseline_;
  std::vector<int32_t> place_;  // of each step in the baseline
  std::vector<Suspect> suspects_;
  std::set<uint64_t> tried_;
  std::map<std::tuple<int32_t, int32_t, int32_t>, size_t> witness_of_;
  int stale_bisections_ = 0;
  bool differed_ = false;  // an order did, since this was reset
  Exploration result_;
};

}  // namespace

Result<Exploration> explore(replay::Replayer& replayer, const Verdict& verdict,
                            const Options& options) {
  const Program& program = replayer.program();
  if (options.budget < 1) {
    return Error{
        "explore-budget", program.source, "",
        "nothing can be explored with a budget of " + std::to_string(options.budget) + " replays",
        "give a --budget of at least 1"};
  }
  BOHR_TRY(order, order::step_order(program, options.strict_threads));
  BOHR_TRY(uses, Footprints::of(program, order));
  BOHR_TRY_STATUS(replayer.learn());
  return Explorer(replayer, verdict, options, std::move(order), std::move(uses)).run();
}

}  // namespace bohr::explore

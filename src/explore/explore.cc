// SPDX-License-Identifier: Apache-2.0
// The stages in their order; each ends early when the budget is used up.
#include "explore/explore.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "explore/all_orders.h"
#include "explore/attempts.h"
#include "explore/calibrate.h"
#include "explore/canaries.h"
#include "explore/own_launches.h"
#include "explore/own_runs.h"
#include "explore/right_order.h"
#include "explore/settle.h"

namespace bohr::explore {

namespace {

constexpr int64_t kBaselineTrials = 10000;
constexpr int32_t kOwnRuns = 3;               // whose agreement makes them stable
constexpr int32_t kOwnGuesses = 16;           // random orders tried for what own launches left
constexpr int64_t kSearchSteps = 20'000'000;  // some seconds

class Explorer {
 public:
  // `learned`: what steps write, where that had to be observed under so many `contents`.
  Explorer(replay::Replayer& replayer, const Program& program, const Verdict& verdict,
           const Options& options, const order::StepOrder& order, const Footprints& uses,
           int32_t contents, std::vector<ObservedWrite> learned)
      : program_(program),
        options_(options),
        order_(order),
        uses_(uses),
        runner_(replayer, options.budget, options.run_on, options.ignored, options.lost),
        attempts_({program_, verdict, order, uses, options.confirmations, options.whole_too},
                  &runner_, &result_),
        suspects_(suspects_of(program_, order, uses, verdict)) {
    result_.observed_contents = contents;
    result_.observed = std::move(learned);
  }

  Result<Exploration> run() {
    result_.steps = static_cast<int64_t>(order_.size());
    result_.chains = order_.chains;
    result_.budget = options_.budget;
    result_.seed = options_.seed;
    result_.ignored = options_.ignored;
    for (const Suspect& suspect : suspects_)
      result_.trials.push_back({suspect.candidate, suspect.index, TrialResult::not_tried, 0, -1});
    const Status status = stages();
    if (!status.ok() && !ends_search(status.error())) return status.error();
    if (!status.ok()) {
      result_.reasons.push_back(status.error().code);
      note_lost(status.error().code);
    }
    settle(program_, order_, uses_, suspects_, &result_);
    result_.replays = runner_.replays();
    return std::move(result_);
  }

 private:
  void note_lost(const std::string& code) {
    if (code != "process-lost" && code != "watchdog") return;
    LostProcess lost;
    lost.reason = code;
    const Schedule& base = attempts_.baseline().schedule;
    for (size_t i = 0; i < runner_.last().size(); ++i) {
      const int32_t step = runner_.last()[i];
      lost.order.push_back(order_.steps[static_cast<size_t>(step)]);
      if (base.empty() || step == base[i] || !lost.early.label.empty()) continue;
      lost.early = name_of(program_, lost.order.back());
      lost.late = name_of(program_, order_.steps[static_cast<size_t>(base[i])]);
    }
    result_.lost = std::move(lost);
  }

  Status stages() {
    // Asked first, so that nothing is spent where this is refused.
    if (options_.own_runs > 0) BOHR_TRY_STATUS(has_own_runs(&runner_, options_.seed));
    BOHR_TRY_STATUS(find_baseline());
    BOHR_TRY_STATUS(watch());
    BOHR_TRY_STATUS(watch_canaries(&runner_, order_, attempts_.baseline().schedule,
                                   options_.watched, options_.fill, &result_.watched));
    BOHR_TRY_STATUS(reverse_suspects());
    BOHR_TRY_STATUS(reverse_with_other_contents());
    for (const Schedule& schedule : options_.also)
      if (schedule.size() == order_.size() && is_legal(order_, schedule))
        BOHR_TRY_STATUS(try_blindly(schedule));
    BOHR_TRY_STATUS(delay_chains());
    BOHR_TRY_STATUS(try_random());
    if (options_.all_orders) BOHR_TRY_STATUS(try_all());
    if (options_.own_runs == 0) return Nothing{};
    return run_by_itself(&runner_, attempts_.baseline(), suspects_, options_.own_runs,
                         options_.seed, &result_);
  }

  Status find_baseline() {
    Baseline baseline;
    const std::vector<Intent> wanted = intents(program_, order_, uses_);
    baseline.schedule = issue_schedule(order_);
    const RightOrder right = right_order(order_, uses_, wanted, kBaselineTrials);
    if (right.given_up) result_.reasons.push_back("baseline-given-up");
    if (right.schedule) {
      const bool issued = *right.schedule == baseline.schedule;
      result_.baseline = issued ? BaselineKind::issue_order : BaselineKind::reordered;
      baseline.schedule = *right.schedule;
    } else {
      result_.baseline = BaselineKind::none;
      result_.broken_reads = broken_intents(baseline.schedule, uses_, wanted);
    }
    std::optional<OwnOutputs> own;
    if (was_observed()) BOHR_TRY_STATUS(follow_own_launches(&baseline.schedule, &own));
    baseline.right = result_.baseline != BaselineKind::none;
    BOHR_TRY(calibrated,
             calibrate(&runner_, uses_, baseline.schedule, options_.calibration_rounds));
    baseline.reference = std::move(calibrated.reference);
    result_.calibration_replays = calibrated.replays;
    for (const int32_t step : calibrated.pinned)
      result_.pinned.push_back(name_of(program_, order_.steps[static_cast<size_t>(step)]));
    result_.masked = masked_share(runner_, uses_, baseline.schedule, calibrated.pinned);
    if (own)
      result_.own_vary_as_pinned =
          vary_as_pinned(runner_, uses_, baseline.schedule, calibrated.pinned, *own);
    if (result_.masked > 0.5) result_.reasons.push_back("outputs-masked");
    attempts_.start(std::move(baseline));
    return Nothing{};
  }

  bool was_observed() const { return result_.observed_contents > 0; }

  // Where access sets had to be observed, what is meant is known by what the program's own launches
  // leave, as far as they agree: the baseline is the first order that leaves the same. `schedule`
  // is what the intended writers suggest; `left` what they leave, if they can be run.
  Status follow_own_launches(Schedule* schedule, std::optional<OwnOutputs>* left) {
    BOHR_TRY(own, own_outputs(&runner_, options_.seed, kOwnRuns));
    *left = own;
    if (!own) return Nothing{};
    result_.own_launches = is_stable(*own) ? OwnLaunches::equal : OwnLaunches::unstable;
    for (const Schedule& guess : baseline_guesses(*schedule)) {
      if (runner_.find_lost(guess) != nullptr) continue;
      BOHR_TRY(run, runner_.run(guess));
      if (!agree(run.outputs, *own)) continue;
      if (guess == *schedule && result_.baseline != BaselineKind::none) return Nothing{};
      const bool issued = guess == issue_schedule(order_);
      result_.baseline = issued ? BaselineKind::issue_order : BaselineKind::own_launches;
      *schedule = guess;
      return Nothing{};
    }
    result_.baseline = BaselineKind::none;
    if (is_stable(*own)) result_.own_launches = OwnLaunches::different;
    return Nothing{};
  }

  // Issue order first; each once.
  std::vector<Schedule> baseline_guesses(const Schedule& suggested) const {
    std::vector<Schedule> guesses = {issue_schedule(order_), suggested};
    for (int32_t chain = 0; chain < order_.chains; ++chain)
      guesses.push_back(with_chain_delayed(order_, guesses.front(), chain));
    for (int32_t i = 0; i < kOwnGuesses && order_.chains > 1; ++i)
      guesses.push_back(
          random_schedule(order_, options_.seed + static_cast<uint64_t>(i), options_.random_depth));
    std::set<Schedule> seen;
    std::erase_if(guesses, [&](const Schedule& guess) { return !seen.insert(guess).second; });
    return guesses;
  }

  // Where the trace does not say what steps write, see what they do.
  Status watch() {
    if (uses_.all_known()) return Nothing{};
    BOHR_TRY(changed, runner_.watch(attempts_.baseline().schedule));
    for (const replay::Changed& one : changed)
      result_.observed.push_back({order_.steps[static_cast<size_t>(one.step)], one.range});
    ++result_.observed_contents;
    return Nothing{};
  }

  Status reverse_suspects() {
    std::map<int32_t, int32_t> places;  // tried, by cause
    for (size_t i = 0; i < suspects_.size(); ++i) {
      const Suspect& suspect = suspects_[i];
      if (!suspect.candidate && attempts_.has_witness(suspect.cause) &&
          ++places[suspect.cause] > options_.places_per_cause)
        continue;
      BOHR_TRY_STATUS(reverse(i));
    }
    return Nothing{};
  }

  Status reverse(size_t suspect) {
    const Result<TrialResult> result = attempts_.reverse(suspects_[suspect]);
    Trial& trial = result_.trials[suspect];
    ++trial.contents;
    if (result.ok()) trial.result = result.value();
    // Without budget for its bisection it still differed.
    else if (attempts_.differed())
      trial.result = TrialResult::diverges;
    if (!result.ok()) return result.error();
    return Nothing{};
  }

  // Stale bytes of an equal input equal right ones: what gave the same bytes is tried again with
  // other contents in the racy bytes.
  Status reverse_with_other_contents() {
    const auto is_same = [](const Trial& trial) { return trial.result == TrialResult::same_bytes; };
    const bool open = std::any_of(result_.trials.begin(), result_.trials.end(), is_same);
    if (!open && uses_.all_known()) return Nothing{};
    std::vector<ByteRange> racy;
    for (const int32_t cell : uses_.racy_cells()) racy.push_back(uses_.range(cell));
    BOHR_TRY_STATUS(runner_.fill_otherwise(racy, options_.fill));
    if (runner_.filled().empty()) return Nothing{};
    const Baseline before = attempts_.baseline();
    BOHR_TRY(reference, runner_.run(before.schedule));
    attempts_.start({before.schedule, std::move(reference), before.right});
    BOHR_TRY_STATUS(watch());
    for (size_t i = 0; i < suspects_.size(); ++i)
      if (is_same(result_.trials[i])) BOHR_TRY_STATUS(reverse(i));
    attempts_.start(before);
    return runner_.fill({});
  }

  // A chain none of whose steps races needs no order of its own: the pairs that only this one would
  // turn round do not conflict.
  Status delay_chains() {
    std::vector<uint8_t> races(static_cast<size_t>(order_.chains), 0);
    for (const int32_t cell : uses_.racy_cells())
      for (const Use& use : uses_.of_cell(cell))
        races[static_cast<size_t>(order_.chain[static_cast<size_t>(use.step)])] = 1;
    for (int32_t chain = 0; chain < order_.chains; ++chain) {
      if (!races[static_cast<size_t>(chain)]) continue;
      BOHR_TRY_STATUS(
          try_blindly(with_chain_delayed(order_, attempts_.baseline().schedule, chain)));
    }
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
    const Visited visited =
        for_each_order(order_, uses_, kSearchSteps, [&](const Schedule& schedule) {
          status = try_blindly(schedule);
          return status.ok();
        });
    result_.exhaustive = visited == Visited::all;
    if (visited == Visited::given_up) result_.reasons.push_back("orders-given-up");
    return status;
  }

  Status try_blindly(const Schedule& schedule) {
    BOHR_TRY_STATUS(attempts_.attempt(schedule, false));
    return Nothing{};
  }

  const Program& program_;
  const Options& options_;
  const order::StepOrder& order_;
  const Footprints& uses_;
  Exploration result_;
  Runner runner_;
  Attempts attempts_;
  std::vector<Suspect> suspects_;
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
  BOHR_TRY(saved, replayer.learn());
  // What the trace does not say, the replayer may have seen.
  std::vector<ObservedWrite> learned;
  for (size_t i = 0; saved.contents > 0 && i < order.size(); ++i)
    for (const ByteRange& range : replayer.written(static_cast<int32_t>(i)))
      learned.push_back({order.steps[i], range});
  // What did not change counts as read here: a search decides by runs.
  const ByteRange everything{0, std::numeric_limits<uint64_t>::max()};
  const Program known =
      saved.contents > 0 ? with_observed(program, order.steps, learned, {&everything, 1}) : program;
  BOHR_TRY(uses, Footprints::of(known, order));
  Held held;
  held.saved_bytes = saved.bytes;
  for (const ObservedWrite& write : learned) held.compared_bytes += write.range.size();
  auto explored =
      Explorer(replayer, known, verdict, options, order, uses, saved.contents, std::move(learned))
          .run();
  if (!explored.ok()) return explored;
  explored.value().held = held;
  note_unseen(saved.unseen, &explored.value().watched);
  return explored;
}

}  // namespace bohr::explore

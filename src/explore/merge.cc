// SPDX-License-Identifier: Apache-2.0
#include "explore/merge.h"

#include <algorithm>
#include <set>

namespace bohr::explore {

namespace {

template <class Item>
void append(std::vector<Item> more, std::vector<Item>* into) {
  into->insert(into->end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

// What is said of launches of several graphs: the first of these that holds for one.
OwnLaunches worst(OwnLaunches a, OwnLaunches b) {
  if (a == OwnLaunches::not_run || b == OwnLaunches::not_run) return std::max(a, b);
  return std::min(a, b);
}

// Of one watch in launches of several graphs.
void merge_watched(std::vector<Watched> more, std::vector<Watched>* into) {
  for (Watched& one : more) {
    const auto same = std::find_if(into->begin(), into->end(), [&](const Watched& other) {
      return other.watch.text == one.watch.text;
    });
    if (same == into->end()) {
      into->push_back(std::move(one));
      continue;
    }
    same->contents = std::min(same->contents, one.contents);
    append(std::move(one.expected), &same->expected);
    append(std::move(one.canaries), &same->canaries);
    append(std::move(one.unseen), &same->unseen);
  }
}

// The weakest of two baselines is said of both.
BaselineKind weakest(BaselineKind a, BaselineKind b) { return std::max(a, b); }

}  // namespace

void merge(Exploration more, Exploration* into) {
  if (into->budget == 0) {
    *into = std::move(more);
    return;
  }
  into->baseline = weakest(into->baseline, more.baseline);
  into->broken_reads += more.broken_reads;
  into->steps += more.steps;
  into->chains = std::max(into->chains, more.chains);
  into->calibration_replays += more.calibration_replays;
  into->masked = std::max(into->masked, more.masked);
  append(std::move(more.pinned), &into->pinned);
  append(std::move(more.witnesses), &into->witnesses);
  append(std::move(more.trials), &into->trials);
  append(std::move(more.observed), &into->observed);
  append(std::move(more.settled), &into->settled);
  merge_watched(std::move(more.watched), &into->watched);
  into->observed_contents = std::min(into->observed_contents, more.observed_contents);
  into->orders += more.orders;
  into->different += more.different;
  into->equivalent += more.equivalent;
  into->pairs_covered = into->pairs_covered && more.pairs_covered;
  into->exhaustive = into->exhaustive && more.exhaustive;
  into->random_orders += more.random_orders;
  into->random_bound = std::min(into->random_bound, more.random_bound);
  into->held.count += more.held.count;
  into->held.restarts = std::max(into->held.restarts, more.held.restarts);
  into->held.restored = into->held.restored && more.held.restored;
  into->held.longest_ns = std::max(into->held.longest_ns, more.held.longest_ns);
  into->held.all_ns += more.held.all_ns;
  const auto most = [&](uint64_t Held::*bytes) {
    into->held.*bytes = std::max(into->held.*bytes, more.held.*bytes);
  };
  most(&Held::saved_bytes), most(&Held::compared_bytes);
  most(&Held::own_device_bytes), most(&Held::own_host_bytes);
  if (into->lost.reason.empty()) into->lost = std::move(more.lost);
  into->own.runs += more.own.runs;
  into->own.different += more.own.different;
  into->own_launches = worst(into->own_launches, more.own_launches);
  into->replays += more.replays;
  into->budget += more.budget;
  append(std::move(more.reasons), &into->reasons);
  std::sort(into->reasons.begin(), into->reasons.end());
  into->reasons.erase(std::unique(into->reasons.begin(), into->reasons.end()), into->reasons.end());
}

void note_outside(const Verdict& verdict, Exploration* exploration) {
  std::set<std::pair<bool, int32_t>> tried;
  for (const Trial& trial : exploration->trials) tried.insert({trial.candidate, trial.index});
  const auto note = [&](bool candidate, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const auto index = static_cast<int32_t>(i);
      if (!tried.contains({candidate, index}))
        exploration->trials.push_back({candidate, index, TrialResult::outside, 0, -1});
    }
  };
  note(false, verdict.findings.size());
  note(true, verdict.candidates.size());
}

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// A search with propagation: what order forces is done first, then one guess at a time.
#include "explore/right_order.h"

#include <algorithm>

#include "explore/chain_lists.h"

namespace bohr::explore {

namespace {

// In units of about a nanosecond, the time of looking at one edge. A choice takes memory too, so at
// most some 800,000 are made.
constexpr int64_t kMostWork = 1'000'000'000;
constexpr int64_t kChoiceWork = 1200;
constexpr int64_t kLookWork = 50;

// Adds edges to happens-before until every span is free of foreign writes.
class Solver {
 public:
  Solver(const order::StepOrder& order, const Footprints& uses, const std::vector<Intent>& intents,
         int64_t trials)
      : order_(order), trials_(trials) {
    for (const Intent& intent : intents) {
      if (intent.writer != kNothing && intent.reader != kNothing)
        spans_.push_back({intent.writer, intent.reader});
    }
    find_choices(uses, intents);
  }

  RightOrder solve() {
    bool found = true;
    for (const auto& [writer, reader] : spans_) found = found && add(writer, reader);
    found = found && decide() && work_ > 0;
    if (!found) return {std::nullopt, work_ <= 0 || trials_ < 0};
    return {schedule(), false};
  }

 private:
  struct Choice {
    int32_t writer, reader, other;
  };

  // The writes that may come between a reader and its writer, by what is ordered already.
  void find_choices(const Footprints& uses, const std::vector<Intent>& intents) {
    ChainLists writes;
    int32_t cell = kNothing;
    for (const Intent& intent : intents) {
      const auto of_cell = uses.of_cell(intent.cell);
      if (intent.cell != cell) writes = writes_of(of_cell);
      cell = intent.cell;
      const size_t first = choices_.size();
      for (const ChainList& list : writes) {
        const size_t begin =
            intent.writer == kNothing ? 0 : count_before(order_, list, intent.writer);
        const size_t end = intent.reader == kNothing ? list.steps.size()
                                                     : first_after(order_, list, intent.reader);
        for (size_t i = begin; i < end; ++i) add_choice(intent, of_cell, list.steps[i]);
        if (work_ <= 0) return;
      }
      std::sort(choices_.begin() + static_cast<ptrdiff_t>(first), choices_.end(),
                [](const Choice& a, const Choice& b) { return a.other < b.other; });
    }
  }

  ChainLists writes_of(std::span<const Use> uses) const {
    std::vector<int32_t> steps;
    for (const Use& use : uses)
      if (use.writes) steps.push_back(use.step);
    return chain_lists(order_, std::move(steps));
  }

  void add_choice(const Intent& intent, std::span<const Use> uses, int32_t step) {
    const auto use = std::lower_bound(uses.begin(), uses.end(), step,
                                      [](const Use& a, int32_t b) { return a.step < b; });
    if (is_foreign(*use, intent)) choices_.push_back({intent.writer, intent.reader, step});
    work_ -= kChoiceWork;
  }

  bool reaches(int32_t from, int32_t to) {
    if (from == to || order_.before(from, to)) return true;
    if (work_ <= 0) return false;
    // Depth first over added edges, with happens-before between them.
    std::vector<uint8_t> seen(edges_.size(), 0);
    std::vector<int32_t> open = {from};
    while (!open.empty()) {
      const int32_t at = open.back();
      open.pop_back();
      work_ -= static_cast<int64_t>(edges_.size()) + 1;
      for (size_t i = 0; i < edges_.size(); ++i) {
        if (seen[i] || !(at == edges_[i].first || order_.before(at, edges_[i].first))) continue;
        seen[i] = 1;
        const int32_t next = edges_[i].second;
        if (next == to || order_.before(next, to)) return true;
        open.push_back(next);
      }
    }
    return false;
  }

  bool add(int32_t from, int32_t to) {
    if (order_.before(from, to)) return true;
    if (from == to || reaches(to, from)) return false;
    if (!reaches(from, to)) edges_.push_back({from, to});
    return true;
  }

  bool before_span(const Choice& choice) {
    return choice.writer != kNothing && add(choice.other, choice.writer);
  }
  bool after_span(const Choice& choice) {
    return choice.reader != kNothing && add(choice.reader, choice.other);
  }
  bool is_before_span(const Choice& choice) {
    return choice.writer != kNothing && reaches(choice.other, choice.writer);
  }
  bool is_after_span(const Choice& choice) {
    return choice.reader != kNothing && reaches(choice.reader, choice.other);
  }

  // Forced sides first, each time from the start, since each can force others; then one guess.
  bool decide() {
    const size_t mark = edges_.size();
    const Choice* open = nullptr;
    for (bool changed = true; changed;) {
      changed = false;
      open = nullptr;
      for (const Choice& choice : choices_) {
        if ((work_ -= kLookWork) <= 0) return undo(mark);
        if (is_before_span(choice) || is_after_span(choice)) continue;
        const bool not_after = choice.reader == kNothing || reaches(choice.other, choice.reader);
        const bool not_before = choice.writer == kNothing || reaches(choice.writer, choice.other);
        if (not_after && not_before) return undo(mark);
        if (not_after || not_before) {
          if (!(not_after ? before_span(choice) : after_span(choice))) return undo(mark);
          changed = true;
        } else if (!open) {
          open = &choice;
        }
      }
    }
    if (!open) return true;
    const Choice choice = *open;
    const bool after_first = choice.reader != kNothing && choice.other > choice.reader;
    for (const bool after : {after_first, !after_first}) {
      if (trials_-- <= 0) return undo(mark);
      const size_t guess = edges_.size();
      if ((after ? after_span(choice) : before_span(choice)) && decide()) return true;
      undo(guess);
    }
    return undo(mark);
  }

  bool undo(size_t mark) {
    edges_.resize(mark);
    return false;
  }

  // Issue order as far as happens-before and the added edges allow.
  Schedule schedule() const {
    order::StepOrder extended = order_;
    std::vector<std::vector<int32_t>> more(order_.size());
    for (const auto& [from, to] : edges_) more[static_cast<size_t>(to)].push_back(from);
    extended.begin.clear(), extended.arrows.clear();
    for (size_t i = 0; i < order_.size(); ++i) {
      extended.begin.push_back(static_cast<uint32_t>(extended.arrows.size()));
      for (const int32_t p : order_.predecessors(static_cast<int32_t>(i)))
        extended.arrows.push_back(p);
      extended.arrows.insert(extended.arrows.end(), more[i].begin(), more[i].end());
    }
    extended.begin.push_back(static_cast<uint32_t>(extended.arrows.size()));
    return issue_schedule(extended);
  }

  const order::StepOrder& order_;
  int64_t trials_;
  int64_t work_ = kMostWork;  // left
  std::vector<std::pair<int32_t, int32_t>> spans_;
  std::vector<Choice> choices_;
  std::vector<std::pair<int32_t, int32_t>> edges_;
};

}  // namespace

RightOrder right_order(const order::StepOrder& order, const Footprints& uses,
                       const std::vector<Intent>& intents, int64_t trials) {
  Schedule issued = issue_schedule(order);
  if (broken_intents(issued, uses, intents) == 0) return {std::move(issued), false};
  return Solver(order, uses, intents, trials).solve();
}

}  // namespace bohr::explore

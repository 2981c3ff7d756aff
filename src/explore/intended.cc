// SPDX-License-Identifier: Apache-2.0
// Finding the intended writers; see the header.
#include "explore/intended.h"

#include <algorithm>

#include "model/outputs.h"

namespace bohr::explore {

namespace {

// Whether a read of the same lifetime is ordered after `write`.
bool read_after(const order::StepOrder& order, std::span<const Use> uses, const Use& write) {
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.reads && use.lifetime == write.lifetime && order.before(write.step, use.step);
  });
}

// Whether what `write` wrote was read, apart from `reader`, by something issued no later than
// `later`.
bool used_by(const order::StepOrder& order, std::span<const Use> uses, int32_t write,
             const Use& reader, int32_t later) {
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.reads && use.lifetime == reader.lifetime && use.step != reader.step &&
           use.step <= later && order.before(write, use.step);
  });
}

int32_t intended_writer(const order::StepOrder& order, std::span<const Use> uses,
                        const Use& reader) {
  int32_t ordered = -1, unread = -1, unordered = -1;
  for (const Use& use : uses) {
    if (!use.writes || use.step == reader.step || use.lifetime != reader.lifetime) continue;
    if (use.atomic && reader.atomic) continue;
    if (order.before(use.step, reader.step)) {
      // Of several the last: one that comes after the others, else the last issued.
      if (ordered < 0 || !order.before(use.step, ordered)) ordered = use.step;
    } else if (use.step < reader.step && !order.ordered(use.step, reader.step)) {
      unordered = use.step;
      if (!read_after(order, uses, use)) unread = use.step;
    }
  }
  if (ordered < 0) return unordered;
  if (unordered >= 0 && used_by(order, uses, ordered, reader, unordered)) return unordered;
  return unread >= 0 ? unread : ordered;
}

// Of the writes to an output that no other one is ordered after, the last issued.
void add_final_intent(const Program& program, const order::StepOrder& order,
                      std::span<const Use> uses, int32_t cell, std::vector<Intent>* intents) {
  const Use* last = nullptr;
  for (const Use& use : uses)
    if (use.writes && !(last && order.before(use.step, last->step))) last = &use;
  if (!last || !is_output(program, program.lifetimes[last->lifetime.index()])) return;
  intents->push_back({cell, last->step, kNothing, last->lifetime});
}

// Whether `other` breaks an intent when it comes between: a write to the cell by a third step.
// Atomics of the reader's own lifetime belong there. Memory that nothing has written yet may hold
// anything, so only its own writers break a read of it.
bool is_foreign(const Use& other, const Intent& intent) {
  if (!other.writes || other.step == intent.writer || other.step == intent.reader) return false;
  const bool own = other.lifetime == intent.lifetime;
  return !(other.atomic && own) && (own || intent.writer != kNothing);
}

}  // namespace

std::vector<Intent> intents(const Program& program, const order::StepOrder& order,
                            const Footprints& uses) {
  std::vector<Intent> result;
  for (const int32_t cell : uses.racy_cells()) {
    const auto of_cell = uses.of_cell(cell);
    for (const Use& use : of_cell) {
      if (!use.reads) continue;
      result.push_back({cell, intended_writer(order, of_cell, use), use.step, use.lifetime});
    }
    add_final_intent(program, order, of_cell, cell, &result);
  }
  return result;
}

int64_t broken_intents(std::span<const int32_t> schedule, const Footprints& uses,
                       const std::vector<Intent>& intents) {
  std::vector<int32_t> place(schedule.size());
  for (size_t i = 0; i < schedule.size(); ++i)
    place[static_cast<size_t>(schedule[i])] = static_cast<int32_t>(i);
  int64_t broken = 0;
  for (const Intent& intent : intents) {
    const int32_t begin =
        intent.writer == kNothing ? -1 : place[static_cast<size_t>(intent.writer)];
    const int32_t end = intent.reader == kNothing ? static_cast<int32_t>(schedule.size())
                                                  : place[static_cast<size_t>(intent.reader)];
    bool whole = begin < end;
    for (const Use& use : uses.of_cell(intent.cell)) {
      const int32_t at = place[static_cast<size_t>(use.step)];
      if (begin < at && at < end && is_foreign(use, intent)) whole = false;
    }
    broken += !whole;
  }
  return broken;
}

namespace {

// Adds edges to happens-before until every span is free of foreign writes.
class Solver {
 public:
  Solver(const order::StepOrder& order, const Footprints& uses, const std::vector<Intent>& intents,
         int64_t trials)
      : order_(order), trials_(trials) {
    for (const Intent& intent : intents) {
      if (intent.writer != kNothing && intent.reader != kNothing)
        spans_.push_back({intent.writer, intent.reader});
      for (const Use& use : uses.of_cell(intent.cell))
        if (is_foreign(use, intent)) choices_.push_back({intent.writer, intent.reader, use.step});
    }
  }

  std::optional<Schedule> solve() {
    for (const auto& [writer, reader] : spans_)
      if (!add(writer, reader)) return std::nullopt;
    if (!decide()) return std::nullopt;
    return schedule();
  }

 private:
  struct Choice {
    int32_t writer, reader, other;
  };

  bool reaches(int32_t from, int32_t to) const {
    if (from == to || order_.before(from, to)) return true;
    // Depth first over added edges, with happens-before between them.
    std::vector<uint8_t> seen(edges_.size(), 0);
    std::vector<int32_t> open = {from};
    while (!open.empty()) {
      const int32_t at = open.back();
      open.pop_back();
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
  bool is_before_span(const Choice& choice) const {
    return choice.writer != kNothing && reaches(choice.other, choice.writer);
  }
  bool is_after_span(const Choice& choice) const {
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
  std::vector<std::pair<int32_t, int32_t>> spans_;
  std::vector<Choice> choices_;
  std::vector<std::pair<int32_t, int32_t>> edges_;
};

}  // namespace

std::optional<Schedule> right_schedule(const order::StepOrder& order, const Footprints& uses,
                                       const std::vector<Intent>& intents, int64_t trials) {
  Schedule issued = issue_schedule(order);
  if (broken_intents(issued, uses, intents) == 0) return issued;
  return Solver(order, uses, intents, trials).solve();
}

}  // namespace bohr::explore

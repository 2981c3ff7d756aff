// SPDX-License-Identifier: Apache-2.0
// Finding the intended writers; see the header. A cell may have as many uses as the program has
// steps, so none of what follows looks at all of them for each: uses are asked for by chain.
#include "explore/intended.h"

#include <algorithm>
#include <map>
#include <optional>

#include "explore/chain_lists.h"
#include "model/outputs.h"

namespace bohr::explore {

namespace {

// Writes of one chain, and for each the place of the last one up to it that no read is ordered
// after; -1: none.
struct Writes {
  ChainList list;
  std::vector<int32_t> unread;
};

// The uses of one cell through one lifetime.
class OfLifetime {
 public:
  OfLifetime(const order::StepOrder& order, std::span<const Use> uses) : order_(order) {
    std::vector<int32_t> reads, writes, plain;
    for (const Use& use : uses) {
      if (use.reads) reads.push_back(use.step);
      if (use.writes) writes.push_back(use.step);
      if (use.writes && !use.atomic) plain.push_back(use.step);
    }
    reads_ = chain_lists(order, std::move(reads));
    writes_ = with_unread(chain_lists(order, std::move(writes)));
    plain_ = with_unread(chain_lists(order, std::move(plain)));
  }

  // Atomic updates commute, so none is meant to come before another.
  int32_t intended_writer(const Use& reader) const {
    const std::vector<Writes>& writes = reader.atomic ? plain_ : writes_;
    std::vector<int32_t> last;  // of each chain, of those ordered before the reader
    int32_t unread = kNothing, unordered = kNothing;
    for (const Writes& one : writes) {
      const std::vector<int32_t>& steps = one.list.steps;
      size_t before = count_before(order_, one.list, reader.step);
      const size_t after = first_after(order_, one.list, reader.step);
      const bool own = before > 0 && steps[before - 1] == reader.step;
      if (before > size_t{own}) last.push_back(steps[before - 1 - size_t{own}]);
      note_unordered(one, before, after, reader.step, &unordered, &unread);
    }
    const int32_t ordered = last_of(last);
    if (ordered == kNothing) return unordered;
    if (unordered != kNothing && used_by(ordered, reader.step, unordered)) return unordered;
    return unread != kNothing ? unread : ordered;
  }

 private:
  std::vector<Writes> with_unread(ChainLists lists) const {
    std::vector<Writes> result;
    for (ChainList& list : lists) {
      Writes writes{std::move(list), {}};
      int32_t last = -1;
      for (size_t i = 0; i < writes.list.steps.size(); ++i) {
        if (!read_after(writes.list.steps[i])) last = static_cast<int32_t>(i);
        writes.unread.push_back(last);
      }
      result.push_back(std::move(writes));
    }
    return result;
  }

  // Whether a read is ordered after `write`: then the last one of its chain is.
  bool read_after(int32_t write) const {
    return std::any_of(reads_.begin(), reads_.end(), [&](const ChainList& list) {
      return order_.before(write, list.steps.back());
    });
  }

  // Of several that come before the reader one that comes after the others, else the last issued.
  int32_t last_of(const std::vector<int32_t>& steps) const {
    int32_t last = kNothing;
    for (const int32_t step : steps) {
      const bool passed = std::any_of(steps.begin(), steps.end(),
                                      [&](int32_t other) { return order_.before(step, other); });
      if (!passed) last = std::max(last, step);
    }
    return last;
  }

  // Of the writes from `before` to `after`, which are unordered with the reader, the last issued
  // before it, and the last one that nothing ordered after it reads.
  static void note_unordered(const Writes& writes, size_t before, size_t after, int32_t reader,
                             int32_t* unordered, int32_t* unread) {
    const std::vector<int32_t>& steps = writes.list.steps;
    if (!writes.list.in_issue_order) {
      for (size_t i = before; i < after; ++i) {
        if (steps[i] > reader) continue;
        *unordered = std::max(*unordered, steps[i]);
        if (writes.unread[i] == static_cast<int32_t>(i)) *unread = std::max(*unread, steps[i]);
      }
      return;
    }
    const auto begin = steps.begin();
    const auto end = begin + static_cast<ptrdiff_t>(std::max(before, after));
    const auto issued = std::lower_bound(begin + static_cast<ptrdiff_t>(before), end, reader);
    const auto place = static_cast<size_t>(issued - begin);
    if (place <= before) return;
    *unordered = std::max(*unordered, steps[place - 1]);
    const int32_t last = writes.unread[place - 1];
    if (last >= static_cast<int32_t>(before))
      *unread = std::max(*unread, steps[static_cast<size_t>(last)]);
  }

  // Whether what `write` wrote was read, apart from `reader`, by something issued no later than
  // `later`.
  bool used_by(int32_t write, int32_t reader, int32_t later) const {
    return std::any_of(reads_.begin(), reads_.end(), [&](const ChainList& list) {
      for (size_t i = first_after(order_, list, write); i < list.steps.size(); ++i) {
        if (list.steps[i] != reader && list.steps[i] <= later) return true;
        if (list.in_issue_order && list.steps[i] > later) return false;
      }
      return false;
    });
  }

  const order::StepOrder& order_;
  ChainLists reads_;
  std::vector<Writes> writes_;
  std::vector<Writes> plain_;  // those that are no atomic updates
};

std::map<LifetimeId, std::vector<Use>> by_lifetime(std::span<const Use> uses) {
  std::map<LifetimeId, std::vector<Use>> result;
  for (const Use& use : uses) result[use.lifetime].push_back(use);
  return result;
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

}  // namespace

std::vector<Intent> intents(const Program& program, const order::StepOrder& order,
                            const Footprints& uses) {
  std::vector<Intent> result;
  for (const int32_t cell : uses.racy_cells()) {
    const auto of_cell = uses.of_cell(cell);
    std::map<LifetimeId, OfLifetime> lifetimes;
    for (const auto& [lifetime, own] : by_lifetime(of_cell))
      lifetimes.emplace(lifetime, OfLifetime(order, own));
    for (const Use& use : of_cell) {
      if (!use.reads) continue;
      const int32_t writer = lifetimes.at(use.lifetime).intended_writer(use);
      result.push_back({cell, writer, use.step, use.lifetime});
    }
    add_final_intent(program, order, of_cell, cell, &result);
  }
  return result;
}

bool is_foreign(const Use& other, const Intent& intent) {
  if (!other.writes || other.step == intent.writer || other.step == intent.reader) return false;
  const bool own = other.lifetime == intent.lifetime;
  return !(other.atomic && own) && (own || intent.writer != kNothing);
}

namespace {

// Where in a schedule a cell is written.
class WritePlaces {
 public:
  WritePlaces(std::span<const Use> uses, const std::vector<int32_t>& place) {
    for (const Use& use : uses) {
      if (!use.writes) continue;
      const int32_t at = place[static_cast<size_t>(use.step)];
      all_.push_back(at);
      (use.atomic ? own_[use.lifetime].atomic : own_[use.lifetime].plain).push_back(at);
    }
    std::sort(all_.begin(), all_.end());
    for (auto& [lifetime, own] : own_) {
      std::sort(own.plain.begin(), own.plain.end());
      std::sort(own.atomic.begin(), own.atomic.end());
    }
  }

  // Whether a write that is_foreign() to the intent lies strictly between.
  bool foreign_between(const Intent& intent, int32_t begin, int32_t end) const {
    const auto found = own_.find(intent.lifetime);
    const Own& own = found == own_.end() ? none_ : found->second;
    if (intent.writer == kNothing) return between(own.plain, begin, end) > 0;
    return between(all_, begin, end) > between(own.atomic, begin, end);
  }

 private:
  struct Own {
    std::vector<int32_t> plain, atomic;
  };
  static ptrdiff_t between(const std::vector<int32_t>& places, int32_t begin, int32_t end) {
    return std::lower_bound(places.begin(), places.end(), end) -
           std::upper_bound(places.begin(), places.end(), begin);
  }
  std::vector<int32_t> all_;
  std::map<LifetimeId, Own> own_;
  Own none_;
};

}  // namespace

int64_t broken_intents(std::span<const int32_t> schedule, const Footprints& uses,
                       const std::vector<Intent>& intents) {
  std::vector<int32_t> place(schedule.size());
  for (size_t i = 0; i < schedule.size(); ++i)
    place[static_cast<size_t>(schedule[i])] = static_cast<int32_t>(i);
  std::optional<WritePlaces> writes;
  int32_t cell = kNothing;
  int64_t broken = 0;
  for (const Intent& intent : intents) {
    if (intent.cell != cell) writes.emplace(uses.of_cell(cell = intent.cell), place);
    const int32_t begin =
        intent.writer == kNothing ? -1 : place[static_cast<size_t>(intent.writer)];
    const int32_t end = intent.reader == kNothing ? static_cast<int32_t>(schedule.size())
                                                  : place[static_cast<size_t>(intent.reader)];
    broken += begin >= end || writes->foreign_between(intent, begin, end);
  }
  return broken;
}

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// Cutting into cells, and finding the racy ones without looking at all pairs.
#include "explore/footprints.h"

#include <algorithm>
#include <string>

#include "explore/chain_lists.h"

namespace bohr::explore {

namespace {

constexpr uint64_t kMostUses = uint64_t{1} << 25;

template <class Visit>
void for_each_access(const Program& program, const Step& step, Visit&& visit) {
  for (const Access& access : work_accesses(program, step))
    if (in_part(access, step.part) && !access.range.empty()) visit(access);
}

Use use_of(const Access& access, int32_t step, int32_t cell) {
  Use use;
  use.step = step, use.cell = cell, use.lifetime = access.lifetime;
  use.reads = reads(access.mode), use.writes = writes(access.mode);
  use.atomic = access.mode == AccessMode::atomic;
  use.known = direction_known(access.mode);
  return use;
}

// Uses of one step sorted by cell: those of one cell become one.
void merge(std::vector<Use>* uses, size_t from) {
  std::stable_sort(uses->begin() + static_cast<ptrdiff_t>(from), uses->end(),
                   [](const Use& a, const Use& b) { return a.cell < b.cell; });
  size_t kept = from;
  for (size_t i = from; i < uses->size(); ++i) {
    const Use use = (*uses)[i];
    if (kept > from && (*uses)[kept - 1].cell == use.cell) {
      Use& into = (*uses)[kept - 1];
      into.reads = into.reads || use.reads;
      into.writes = into.writes || use.writes;
      into.atomic = into.atomic && use.atomic;
      into.known = into.known && use.known;
      if (use.writes) into.lifetime = use.lifetime;
    } else {
      (*uses)[kept++] = use;
    }
  }
  uses->resize(kept);
}

}  // namespace

Result<Footprints> Footprints::of(const Program& program, const order::StepOrder& order) {
  Footprints result;
  std::vector<uint64_t>& ends = result.ends_;
  for (const Step& step : order.steps) {
    for_each_access(program, step, [&](const Access& access) {
      ends.push_back(access.range.begin);
      ends.push_back(access.range.end);
    });
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());

  const auto cell_at = [&](uint64_t address) {
    return static_cast<int32_t>(std::lower_bound(ends.begin(), ends.end(), address) - ends.begin());
  };
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t from = result.by_step_.size();
    result.step_begin_.push_back(from);
    for_each_access(program, order.steps[i], [&](const Access& access) {
      const int32_t last = cell_at(access.range.end);
      for (int32_t cell = cell_at(access.range.begin); cell < last; ++cell)
        result.by_step_.push_back(use_of(access, static_cast<int32_t>(i), cell));
    });
    merge(&result.by_step_, from);
    if (result.by_step_.size() > kMostUses) {
      return Error{"explore-too-large", program.source, "step " + std::to_string(i),
                   "its steps use more than " + std::to_string(kMostUses) + " pieces of memory",
                   "explore one graph of it, or a shorter trace"};
    }
  }
  result.step_begin_.push_back(result.by_step_.size());

  result.cell_begin_.assign(std::max<size_t>(ends.size(), 1), 0);
  for (const Use& use : result.by_step_) ++result.cell_begin_[static_cast<size_t>(use.cell) + 1];
  for (size_t i = 1; i < result.cell_begin_.size(); ++i)
    result.cell_begin_[i] += result.cell_begin_[i - 1];
  std::vector<uint64_t> fill = result.cell_begin_;
  result.by_cell_.resize(result.by_step_.size());
  for (const Use& use : result.by_step_)
    result.by_cell_[fill[static_cast<size_t>(use.cell)]++] = use;
  result.find_racy_cells(order);
  return result;
}

ByteRange Footprints::range(int32_t cell) const {
  const auto i = static_cast<size_t>(cell);
  return {ends_[i], ends_[i + 1]};
}

size_t Footprints::first_cell(uint64_t address) const {
  const auto above = std::upper_bound(ends_.begin(), ends_.end(), address) - ends_.begin();
  return std::min(cells(), static_cast<size_t>(std::max<ptrdiff_t>(above - 1, 0)));
}

std::span<const Use> Footprints::of_step(int32_t step) const {
  const auto i = static_cast<size_t>(step);
  return {by_step_.data() + step_begin_[i], by_step_.data() + step_begin_[i + 1]};
}

std::span<const Use> Footprints::of_cell(int32_t cell) const {
  const auto i = static_cast<size_t>(cell);
  return {by_cell_.data() + cell_begin_[i], by_cell_.data() + cell_begin_[i + 1]};
}

int32_t Footprints::conflict_cell(int32_t a, int32_t b) const {
  const auto left = of_step(a), right = of_step(b);
  for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    if (left[i].cell < right[j].cell) {
      ++i;
    } else if (right[j].cell < left[i].cell) {
      ++j;
    } else {
      if (conflict(left[i], right[j])) return left[i].cell;
      ++i, ++j;
    }
  }
  return -1;
}

bool Footprints::all_known() const {
  return std::all_of(by_step_.begin(), by_step_.end(), [](const Use& use) { return use.known; });
}

namespace {

// In issue order it suffices to ask whether a write is ordered after all uses since the last write
// that was, and whether a use that is no write is ordered after that last write: order is
// transitive. False says nothing: a pair of atomics, or an order against issue order, makes it fail
// without a race.
bool is_calm(const order::StepOrder& order, std::span<const Use> uses) {
  bool calm = true;
  size_t last_write = uses.size();
  for (size_t i = 0; i < uses.size() && calm; ++i) {
    if (uses[i].writes) {
      const size_t from = last_write < i ? last_write : 0;
      for (size_t j = from; j < i && calm; ++j) calm = order.before(uses[j].step, uses[i].step);
      last_write = i;
    } else if (last_write < i) {
      calm = order.before(uses[last_write].step, uses[i].step);
    }
  }
  return calm;
}

// Of two uses that conflict one is a plain write, or one is atomic and the other is not.
bool is_racy(const order::StepOrder& order, std::span<const Use> uses) {
  std::vector<int32_t> all, plain;
  for (const Use& use : uses) {
    all.push_back(use.step);
    if (!use.atomic) plain.push_back(use.step);
  }
  const ChainLists all_lists = chain_lists(order, std::move(all));
  const ChainLists plain_lists = chain_lists(order, std::move(plain));
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.writes && any_unordered(order, use.atomic ? plain_lists : all_lists, use.step);
  });
}

}  // namespace

void Footprints::find_racy_cells(const order::StepOrder& order) {
  for (size_t cell = 0; cell < cells(); ++cell) {
    const auto uses = of_cell(static_cast<int32_t>(cell));
    if (!is_calm(order, uses) && is_racy(order, uses)) racy_.push_back(static_cast<int32_t>(cell));
  }
}

}  // namespace bohr::explore

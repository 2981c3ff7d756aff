// SPDX-License-Identifier: Apache-2.0
#include "fix/webs.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "fix/halves.h"
#include "model/outputs.h"

namespace bohr::fix {

namespace {

// Accesses of one block by number, and which of them are one.
class Union {
 public:
  size_t number(const AccessRef& access) {
    const auto [found, fresh] = numbers_.try_emplace(access, parent_.size());
    if (fresh) parent_.push_back(parent_.size()), stays_.push_back(false);
    return found->second;
  }
  void join(size_t a, size_t b) {
    a = root(a), b = root(b);
    parent_[a] = b;
    stays_[b] = stays_[b] || stays_[a];
  }
  void keep(size_t a) { stays_[root(a)] = true; }

  std::vector<Web> webs() {
    std::map<size_t, Web> by_root;
    for (const auto& [access, number] : numbers_) {
      Web& web = by_root[root(number)];
      web.accesses.push_back(access);
      web.movable = !stays_[root(number)];
    }
    std::vector<Web> list;
    list.reserve(by_root.size());
    for (auto& [root, web] : by_root) list.push_back(std::move(web));
    std::sort(list.begin(), list.end(),
              [](const Web& a, const Web& b) { return a.accesses.front() < b.accesses.front(); });
    return list;
  }

 private:
  size_t root(size_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  std::map<AccessRef, size_t> numbers_;
  std::vector<size_t> parent_;
  std::vector<bool> stays_;
};

// Of a step those to a block that touch a range, in a direction.
std::vector<AccessRef> accesses_in(const Program& program, const Step& step, LifetimeId block,
                                   const ByteRange& range, Half half) {
  const Op& op = work_of(program, step);
  const GraphId graph = step.node.valid() ? program.ops[step.op.index()].graph : GraphId();
  const std::span<const Access> all = work_accesses(program, step);
  std::vector<AccessRef> found;
  for (size_t i = 0; i < all.size(); ++i) {
    const Access& access = all[i];
    const bool meant =
        half == Half::both || (half == Half::read ? reads(access.mode) : writes(access.mode));
    if (meant && access.lifetime == block && access.range.overlaps(range) &&
        in_part(access, step.part))
      found.push_back({graph, static_cast<uint32_t>(op.access_begin + i)});
  }
  return found;
}

class Webs {
 public:
  Webs(const Setting& setting, LifetimeId block, bool parts_updates)
      : setting_(setting), block_(block), parts_updates_(parts_updates) {
    const auto& racy = setting.uses.racy_cells();
    racy_.insert(racy.begin(), racy.end());
  }

  std::vector<Web> run() {
    const Lifetime& lifetime = setting_.program.lifetimes[block_.index()];
    const bool output = is_output(setting_.program, lifetime);
    for (const Piece& piece : lifetime.pieces)
      for (size_t cell = setting_.uses.first_cell(piece.range.begin);
           cell < setting_.uses.cells() &&
           setting_.uses.range(static_cast<int32_t>(cell)).begin < piece.range.end;
           ++cell)
        add_cell(static_cast<int32_t>(cell), output);
    for (const explore::Intent& intent : setting_.intents)
      if (intent.lifetime == block_) add_intent(intent);
    return union_.webs();
  }

 private:
  // What a step does to a cell in one direction; of updates that may be parted that half.
  std::vector<size_t> numbers_of(int32_t step, int32_t cell, Half half) {
    std::vector<size_t> numbers;
    const Program& program = setting_.program;
    const Step& at = setting_.steps.steps[static_cast<size_t>(step)];
    for (AccessRef access : accesses_in(program, at, block_, setting_.uses.range(cell), half)) {
      const auto& table =
          access.graph.valid() ? program.graphs[access.graph.index()].accesses : program.accesses;
      if (parts_updates_ && table[access.index].mode == AccessMode::update) access.half = half;
      numbers.push_back(union_.number(access));
    }
    for (size_t i = 1; i < numbers.size(); ++i) union_.join(numbers[0], numbers[i]);
    return numbers;
  }

  void add_cell(int32_t cell, bool output) {
    const bool one = !racy_.contains(cell);
    std::vector<size_t> first, first_atomic;  // numbers that all others are joined with
    for (const explore::Use& use : setting_.uses.of_cell(cell)) {
      if (use.lifetime != block_) continue;
      std::vector<size_t> numbers;
      for (const Half half : {Half::read, Half::written})
        for (const size_t number : numbers_of(use.step, cell, half)) numbers.push_back(number);
      if (numbers.empty()) continue;
      std::vector<size_t>* with = one ? &first : use.atomic ? &first_atomic : nullptr;
      if (with == nullptr) continue;
      // Uses of a cell where nothing races come one after the other, or only read.
      const bool begins = with->empty() && use.reads;
      if (with->empty()) *with = numbers;
      for (const size_t number : numbers) union_.join(with->front(), number);
      if (one && (output || begins)) union_.keep(numbers.front());
    }
  }

  void add_intent(const explore::Intent& intent) {
    std::vector<size_t> both;
    if (intent.writer != explore::kNothing)
      both = numbers_of(intent.writer, intent.cell, Half::written);
    if (intent.reader != explore::kNothing)
      for (const size_t number : numbers_of(intent.reader, intent.cell, Half::read))
        both.push_back(number);
    for (size_t i = 1; i < both.size(); ++i) union_.join(both[0], both[i]);
    const bool ends = intent.writer == explore::kNothing || intent.reader == explore::kNothing;
    if (ends && !both.empty()) union_.keep(both[0]);
  }

  const Setting& setting_;
  LifetimeId block_;
  bool parts_updates_;
  std::set<int32_t> racy_;
  Union union_;
};

// Where a step reads or writes its bytes of a cell once repairs are in place. Nothing: it has none,
// or they went to different places.
std::optional<ByteRange> moved_to(const Setting& setting, const Program& repaired, const Step& was,
                                  const Step& is, Half half, const explore::Intent& intent) {
  const ByteRange cell = setting.uses.range(intent.cell);
  const std::span<const Access> before = work_accesses(setting.program, was);
  const std::span<const Access> after = work_accesses(repaired, is);
  const bool parted = after.size() > before.size();
  std::optional<ByteRange> place;
  for (const AccessRef& access : accesses_in(setting.program, was, intent.lifetime, cell, half)) {
    const uint32_t k = access.index - work_of(setting.program, was).access_begin;
    const Access& now = after[parted ? place_of_half(before, k, half) : k];
    const uint64_t by = now.range.begin - before[k].range.begin;
    const ByteRange moved{cell.begin + by, cell.end + by};
    if (place && !(*place == moved)) return std::nullopt;
    place = moved;
  }
  return place;
}

// Whether no other write can come between writer and reader.
bool is_kept(const order::StepOrder& order, const explore::Footprints& uses, ByteRange place,
             const explore::Intent& intent) {
  const int32_t writer = intent.writer, reader = intent.reader;
  if (writer != explore::kNothing && reader != explore::kNothing && writer != reader &&
      !order.before(writer, reader))
    return false;
  for (size_t cell = uses.first_cell(place.begin);
       cell < uses.cells() && uses.range(static_cast<int32_t>(cell)).begin < place.end; ++cell) {
    for (const explore::Use& use : uses.of_cell(static_cast<int32_t>(cell))) {
      explore::Intent same = intent;
      same.lifetime = use.lifetime;  // moved accesses have a lifetime of their own
      if (!explore::is_foreign(use, same)) continue;
      const bool before = writer != explore::kNothing && order.before(use.step, writer);
      const bool after = reader != explore::kNothing && order.before(reader, use.step);
      if (!before && !after) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Web> webs_of(const Setting& setting, LifetimeId block, bool parts_updates) {
  return Webs(setting, block, parts_updates).run();
}

Result<bool> keeps_intents(const Setting& setting, const Program& repaired,
                           const std::set<LifetimeId>& blocks) {
  BOHR_TRY(order, order::step_order(repaired, setting.check.strict_threads));
  BOHR_TRY(uses, explore::Footprints::of(repaired, order));
  if (order.size() != setting.steps.size()) return false;
  for (const explore::Intent& intent : setting.intents) {
    if (!blocks.empty() && !blocks.contains(intent.lifetime)) continue;
    std::optional<ByteRange> place;
    for (const Half half : {Half::written, Half::read}) {
      const int32_t step = half == Half::written ? intent.writer : intent.reader;
      if (step == explore::kNothing) continue;
      const auto at = static_cast<size_t>(step);
      const auto moved =
          moved_to(setting, repaired, setting.steps.steps[at], order.steps[at], half, intent);
      if (!moved || (place && !(*place == *moved))) return false;
      place = moved;
    }
    const bool stays = intent.writer == explore::kNothing || intent.reader == explore::kNothing;
    const Lifetime& block = repaired.lifetimes[intent.lifetime.index()];
    const bool at_home =
        place && std::any_of(block.pieces.begin(), block.pieces.end(),
                             [&](const Piece& piece) { return piece.range.contains(*place); });
    if (!place || (stays && !at_home) || !is_kept(order, uses, *place, intent)) return false;
  }
  return true;
}

}  // namespace bohr::fix

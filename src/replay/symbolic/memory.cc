// SPDX-License-Identifier: Apache-2.0
// Cutting memory into cells, and running steps over them.
#include "replay/symbolic/memory.h"

#include <algorithm>
#include <map>

#include "base/hash.h"
#include "model/outputs.h"

namespace bohr::replay {

namespace {

uint64_t hash_text(std::string_view text) {
  uint64_t hash = text.size();
  for (const char c : text) hash = combine(hash, static_cast<unsigned char>(c));
  return hash;
}

// Launch numbers stay out of it: a node is the same in every launch. Ops without a label are told
// apart by their place.
uint64_t label_hash(const Program& program, const Step& step) {
  const Op& work = work_of(program, step);
  if (work.label.valid()) return hash_text(label_of(program, work));
  const auto graph = static_cast<uint64_t>(program.ops[step.op.index()].graph.value() + 1);
  const auto place = static_cast<uint64_t>(step.node.valid() ? step.node.value() : step.op.value());
  return combine(combine(1, graph), place);
}

// The ends of all ranges, sorted: cell i lies between ends i and i + 1.
std::vector<uint64_t> cell_ends(const Program& program, const std::vector<Step>& steps) {
  std::vector<uint64_t> ends;
  for (const Step& step : steps) {
    for (const Access& access : work_accesses(program, step)) {
      ends.push_back(access.range.begin);
      ends.push_back(access.range.end);
    }
  }
  for (const Lifetime& lifetime : program.lifetimes) {
    for (const Piece& piece : lifetime.pieces) {
      ends.push_back(piece.range.begin);
      ends.push_back(piece.range.end);
    }
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

// The cells that a range touches. Behind the last end there is none, but a place for one.
std::pair<int32_t, int32_t> cells_of(const std::vector<uint64_t>& ends, const ByteRange& range) {
  if (range.empty() || ends.empty()) return {0, 0};
  const auto above = std::upper_bound(ends.begin(), ends.end(), range.begin);
  const auto first = above == ends.begin() ? above : above - 1;
  const auto last = std::max(first, std::lower_bound(ends.begin(), ends.end(), range.end));
  return {static_cast<int32_t>(first - ends.begin()), static_cast<int32_t>(last - ends.begin())};
}

}  // namespace

SymbolicMemory::SymbolicMemory(const Program& program) : steps_(steps_of(program)) {
  ends_ = cell_ends(program, steps_);
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    StepCells cells;
    cells.label_hash = label_hash(program, step);
    cells.begin = static_cast<uint32_t>(visits_.size());
    const bool second = step.part == Part::rest || step.part == Part::destination;
    if (second) cells.carried_from = static_cast<int32_t>(i) - 1;
    for (const Access& access : work_accesses(program, step)) {
      if (!in_part(access, step.part)) continue;
      const auto [first, last] = cells_of(ends_, access.range);
      for (int32_t cell = first; cell < last; ++cell) visits_.push_back({cell, access.mode});
    }
    cells.end = static_cast<uint32_t>(visits_.size());
    step_cells_.push_back(cells);
  }

  for (const OutputPiece& output : outputs_of(program)) {
    const auto [first, last] = cells_of(ends_, output.range);
    for (int32_t cell = first; cell < last; ++cell) output_cells_.push_back(cell);
  }
  value_.resize(ends_.size());
  version_.resize(ends_.size());
  base_version_.resize(ends_.size());
  read_digest_.resize(steps_.size());
  outcome_.log.resize(visits_.size());
}

std::span<uint64_t> SymbolicMemory::values(ByteRange range) {
  const auto [first, last] = cells_of(ends_, range);
  return {value_.data() + first, value_.data() + last};
}

std::vector<uint8_t> SymbolicMemory::cells_within(std::span<const ByteRange> ranges) const {
  std::vector<uint8_t> within;
  for (const ByteRange& range : merged({ranges.begin(), ranges.end()})) {
    const auto begin = std::lower_bound(ends_.begin(), ends_.end(), range.begin);
    for (auto end = begin; end != ends_.end() && end + 1 != ends_.end() && *(end + 1) <= range.end;
         ++end) {
      within.resize(value_.size(), 0);
      within[static_cast<size_t>(end - ends_.begin())] = 1;
    }
  }
  return within;
}

uint64_t SymbolicMemory::digest_of(ByteRange range, std::span<const uint8_t> left_out) const {
  const auto [first, last] = cells_of(ends_, range);
  uint64_t digest = static_cast<uint64_t>(last - first);
  for (auto cell = static_cast<size_t>(first); cell < static_cast<size_t>(last); ++cell)
    if (left_out.empty() || !left_out[cell]) digest = combine(digest, value_[cell]);
  return digest;
}

// Every cell starts with bytes of its own, so that stale bytes never equal right ones.
void SymbolicMemory::reset() {
  for (size_t cell = 0; cell < value_.size(); ++cell) value_[cell] = ~cell;
  std::fill(version_.begin(), version_.end(), 0);
  std::fill(base_version_.begin(), base_version_.end(), 0);
  std::fill(read_digest_.begin(), read_digest_.end(), 0);
}

// All reads come before all writes: a node that updates a cell sees what was there before it. What
// a step replaces is therefore also the version from before it, however many of its accesses write.
void SymbolicMemory::run_step(int32_t step) {
  const StepCells& cells = step_cells_[static_cast<size_t>(step)];
  uint64_t digest = cells.label_hash;
  if (cells.carried_from >= 0) {
    digest = combine(digest, read_digest_[static_cast<size_t>(cells.carried_from)]);
  }
  for (uint32_t i = cells.begin; i < cells.end; ++i) {
    const Visit visit = visits_[i];
    const auto cell = static_cast<size_t>(visit.cell);
    const bool atomic = visit.mode == AccessMode::atomic;
    outcome_.log[i] = atomic ? base_version_[cell] : version_[cell];
    if (reads(visit.mode) && !atomic) digest = combine(digest, value_[cell]);
  }
  read_digest_[static_cast<size_t>(step)] = digest;

  const uint64_t version = mix(static_cast<uint64_t>(step) + 1);
  for (uint32_t i = cells.begin; i < cells.end; ++i) {
    const Visit visit = visits_[i];
    if (!writes(visit.mode) || visit.mode == AccessMode::atomic) continue;
    const auto cell = static_cast<size_t>(visit.cell);
    value_[cell] = mix(digest);
    version_[cell] = version;
    base_version_[cell] = version;
  }
  for (uint32_t i = cells.begin; i < cells.end; ++i) {
    const Visit visit = visits_[i];
    if (visit.mode != AccessMode::atomic) continue;
    const auto cell = static_cast<size_t>(visit.cell);
    value_[cell] += mix(digest);
    version_[cell] += mix(version);
  }
}

const SymbolicOutcome& SymbolicMemory::run(std::span<const int32_t> order) {
  BOHR_CHECK(order.size() == steps_.size());
  reset();
  for (const int32_t step : order) run_step(step);
  outcome_.outputs = 0;
  for (const int32_t cell : output_cells_) {
    outcome_.outputs = combine(outcome_.outputs, value_[static_cast<size_t>(cell)]);
  }
  return outcome_;
}

Result<SymbolicOutcome> run(const Program& program, std::span<const Step> schedule) {
  SymbolicMemory memory(program);
  std::map<Step, int32_t> unused;
  for (size_t i = 0; i < memory.steps().size(); ++i) {
    unused[memory.steps()[i]] = static_cast<int32_t>(i);
  }
  std::vector<int32_t> order;
  for (const Step& step : schedule) {
    const auto found = unused.find(step);
    if (found == unused.end()) {
      return Error{"schedule-steps", program.source, "step " + std::to_string(order.size() + 1),
                   "the schedule names a step that the program does not have, or one twice",
                   "take the steps from the program that the schedule is for"};
    }
    order.push_back(found->second);
    unused.erase(found);
  }
  if (!unused.empty()) {
    return Error{"schedule-steps", program.source, "",
                 "the schedule leaves out " + std::to_string(unused.size()) + " steps",
                 "name every step of the program once"};
  }
  return memory.run(order);
}

}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
#include "replay/moves.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "model/step.h"

namespace bohr::replay {

namespace {

Error refused(const std::string& name, std::string why) {
  return {"replay-moved", name, "", std::move(why), "give it other memory in the program itself"};
}

// Moves, of which each is known by its old and its new place.
class Moves {
 public:
  // The accesses of one step, before and after.
  Status add(int32_t step, std::span<const Access> was, std::span<const Access> is,
             const Program& moved) {
    if (was.size() != is.size())
      return refused("step " + std::to_string(step), "it would use two blocks in place of one");
    for (size_t i = 0; i < was.size(); ++i) {
      if (was[i].range == is[i].range) continue;
      const Lifetime& lifetime = moved.lifetimes[is[i].lifetime.index()];
      if (lifetime.pieces.size() != 1) return refused(lifetime.name, "it lies in several pieces");
      const ByteRange to = lifetime.pieces.front().range;
      const uint64_t shift = is[i].range.begin - was[i].range.begin;
      add(step, {to.begin - shift, to.end - shift}, to.begin);
    }
    return one_place_each(step, was, is);
  }
  std::vector<Move> take() { return std::move(list_); }

 private:
  void add(int32_t step, ByteRange from, uint64_t to) {
    auto known = std::find_if(list_.begin(), list_.end(),
                              [&](const Move& move) { return move.from == from && move.to == to; });
    if (known == list_.end()) known = list_.insert(known, {{}, from, to});
    if (known->steps.empty() || known->steps.back() != step) known->steps.push_back(step);
  }

  // An address is one place to a step.
  Status one_place_each(int32_t step, std::span<const Access> was,
                        std::span<const Access> is) const {
    for (size_t i = 0; i < was.size(); ++i)
      for (const Move& move : list_) {
        const bool holds = !move.steps.empty() && move.steps.back() == step;
        if (!holds || !move.from.overlaps(was[i].range)) continue;
        if (is[i].range.begin != move.to + (was[i].range.begin - move.from.begin))
          return refused("step " + std::to_string(step), "it would use two blocks in place of one");
      }
    return Nothing{};
  }

  std::vector<Move> list_;
};

// The move that holds for the byte at `at`, or the first one behind it before `end`.
const Move* next_move(uint64_t at, uint64_t end, int32_t step, std::span<const Move> moves) {
  const Move* next = nullptr;
  for (const Move& move : moves) {
    if (std::find(move.steps.begin(), move.steps.end(), step) == move.steps.end()) continue;
    if (move.from.end <= at || end <= move.from.begin) continue;
    if (next == nullptr || move.from.begin < next->from.begin) next = &move;
  }
  return next;
}

}  // namespace

Result<std::vector<Move>> moves_between(const Program& recorded, const Program& moved) {
  const std::vector<Step> before = steps_of(recorded), after = steps_of(moved);
  BOHR_CHECK(before.size() == after.size());
  Moves moves;
  for (size_t i = 0; i < before.size(); ++i)
    BOHR_TRY_STATUS(moves.add(static_cast<int32_t>(i), work_accesses(recorded, before[i]),
                              work_accesses(moved, after[i]), moved));
  return moves.take();
}

std::vector<ByteRange> seen_at(std::span<const ByteRange> ranges, int32_t step,
                               std::span<const Move> moves) {
  std::vector<ByteRange> seen;
  for (ByteRange left : ranges) {
    while (!left.empty()) {
      const Move* move = next_move(left.begin, left.end, step, moves);
      if (move == nullptr) break;
      const ByteRange inside = left.intersection(move->from);
      if (left.begin < inside.begin) seen.push_back({left.begin, inside.begin});
      const uint64_t begin = move->to + (inside.begin - move->from.begin);
      seen.push_back({begin, begin + inside.size()});
      left.begin = inside.end;
    }
    if (!left.empty()) seen.push_back(left);
  }
  return seen;
}

}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
#include "replay/moves.h"

#include <algorithm>
#include <map>

#include "model/step.h"

namespace bohr::replay {

namespace {

bool same_place(const Lifetime& a, const Lifetime& b) {
  return std::equal(a.pieces.begin(), a.pieces.end(), b.pieces.begin(), b.pieces.end(),
                    [](const Piece& x, const Piece& y) { return x.range == y.range; });
}

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
  std::map<LifetimeId, Move> moves;
  for (size_t i = 0; i < recorded.lifetimes.size(); ++i) {
    const Lifetime& was = recorded.lifetimes[i];
    const Lifetime& is = moved.lifetimes[i];
    if (same_place(was, is)) continue;
    if (was.pieces.size() != 1 || is.pieces.size() != 1)
      return Error{"replay-moved", was.name, "", "it lies in several pieces",
                   "give it other memory in the program itself"};
    moves[LifetimeId(i)] = {{}, was.pieces.front().range, is.pieces.front().range.begin};
  }
  if (moves.empty()) return std::vector<Move>();
  const std::vector<Step> steps = steps_of(recorded);
  for (size_t i = 0; i < steps.size(); ++i)
    for (const Access& access : work_accesses(recorded, steps[i])) {
      const auto found = moves.find(access.lifetime);
      if (found == moves.end()) continue;
      std::vector<int32_t>& users = found->second.steps;
      if (users.empty() || users.back() != static_cast<int32_t>(i))
        users.push_back(static_cast<int32_t>(i));
    }
  std::vector<Move> list;
  list.reserve(moves.size());
  for (auto& [lifetime, move] : moves) list.push_back(std::move(move));
  return list;
}

std::vector<ByteRange> seen_at(std::span<const ByteRange> ranges, int32_t step,
                               std::span<const Move> moves) {
  std::vector<ByteRange> seen;
  for (ByteRange left : ranges) {
    while (const Move* move = next_move(left.begin, left.end, step, moves)) {
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

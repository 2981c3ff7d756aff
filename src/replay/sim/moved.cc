// SPDX-License-Identifier: Apache-2.0
// Addresses are found by what they are: no number that a program computes with lies in the
// simulated memory, and a pointer stands at a multiple of its size. Each piece of work gets only
// the addresses of blocks that it accesses, since bytes belong to several blocks in turn.
#include "replay/sim/moved.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "model/step.h"
#include "replay/sim/items.h"

namespace bohr::replay {

namespace {

namespace sim = gpu::sim;

struct Move {
  ByteRange from;
  uint64_t to = 0;
};

void move(const Move& move, uint64_t* address) {
  if (move.from.begin <= *address && *address < move.from.end)
    *address = move.to + (*address - move.from.begin);
}

void apply(const Move& one, sim::Work* work) {
  gpu::Params& params = work->launch.params;
  for (size_t at = 0; at + sizeof(uint64_t) <= params.image().size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, params.image().data() + at, sizeof word);
    move(one, &word);
    params.set_word(at, word);
  }
  for (auto* accesses : {&work->accesses, &work->launch.accesses})
    for (gpu::Access& access : *accesses) move(one, &access.address);
  move(one, &work->dst);
  move(one, &work->src);
}

Error refused(const Lifetime& lifetime, std::string why) {
  return {"replay-moved", lifetime.name, "", std::move(why),
          "give it other memory in the program itself"};
}

Result<std::map<LifetimeId, Move>> moves_of(const Program& recorded, const Program& moved) {
  std::map<LifetimeId, Move> moves;
  for (size_t i = 0; i < recorded.lifetimes.size(); ++i) {
    const Lifetime& was = recorded.lifetimes[i];
    const Lifetime& is = moved.lifetimes[i];
    const auto same = [](const Piece& a, const Piece& b) { return a.range == b.range; };
    if (std::equal(was.pieces.begin(), was.pieces.end(), is.pieces.begin(), is.pieces.end(), same))
      continue;
    if (was.pieces.size() != 1 || is.pieces.size() != 1)
      return refused(was, "it lies in several pieces");
    moves[LifetimeId(i)] = {was.pieces.front().range, is.pieces.front().range.begin};
  }
  return moves;
}

sim::Work* work_of(sim::Tape* tape, const sim::Item& item) {
  sim::TapeOp& op = tape->ops[static_cast<size_t>(item.op)];
  if (item.node < 0) return &op.work;
  return &tape->graphs[static_cast<size_t>(op.graph)].nodes[static_cast<size_t>(item.node)].work;
}

}  // namespace

Result<sim::Tape> moved_tape(sim::Tape tape, const Program& recorded, const Program& moved) {
  BOHR_TRY(moves, moves_of(recorded, moved));
  if (moves.empty()) return tape;
  const std::vector<Step> steps = steps_of(recorded);
  BOHR_TRY(items, items_of_steps(recorded, steps, tape));
  for (size_t i = 0; i < steps.size(); ++i)
    for (const Access& access : work_accesses(recorded, steps[i])) {
      const auto found = moves.find(access.lifetime);
      if (found == moves.end()) continue;
      sim::Work* work = work_of(&tape, items[i]);
      if (work->function)
        return refused(recorded.lifetimes[access.lifetime.index()],
                       "a function of the host holds its address");
      apply(found->second, work);
    }
  return tape;
}

sim::ArenaSizes sizes_for(const Program& program, sim::ArenaSizes sizes) {
  const uint64_t pageable = sim::Arena::kOrigin + sizes.device + sizes.pinned;
  for (const Lifetime& lifetime : program.lifetimes)
    for (const Piece& piece : lifetime.pieces)
      if (piece.range.end > pageable)
        sizes.pageable = std::max(sizes.pageable, piece.range.end - pageable);
  return sizes;
}

}  // namespace bohr::replay

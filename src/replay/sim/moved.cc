// SPDX-License-Identifier: Apache-2.0
// Addresses are found by what they are: no number that a program computes with lies in the
// simulated memory, and a pointer stands at a multiple of its size. Each piece of work gets only
// the addresses of blocks that it accesses, since bytes belong to several blocks in turn.
#include "replay/sim/moved.h"

#include <algorithm>
#include <cstring>

#include "model/step.h"
#include "replay/moves.h"
#include "replay/sim/items.h"

namespace bohr::replay {

namespace {

namespace sim = gpu::sim;

void move_address(const Move& move, uint64_t* address) {
  if (move.from.begin <= *address && *address < move.from.end)
    *address = move.to + (*address - move.from.begin);
}

void apply(const Move& one, sim::Work* work) {
  gpu::Params& params = work->launch.params;
  for (size_t at = 0; at + sizeof(uint64_t) <= params.image().size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, params.image().data() + at, sizeof word);
    move_address(one, &word);
    params.set_word(at, word);
  }
  for (auto* accesses : {&work->accesses, &work->launch.accesses})
    for (gpu::Access& access : *accesses) move_address(one, &access.address);
  move_address(one, &work->dst);
  move_address(one, &work->src);
}

sim::Work* work_of(sim::Tape* tape, const sim::Item& item) {
  sim::TapeOp& op = tape->ops[static_cast<size_t>(item.op)];
  if (item.node < 0) return &op.work;
  return &tape->graphs[static_cast<size_t>(op.graph)].nodes[static_cast<size_t>(item.node)].work;
}

}  // namespace

Result<sim::Tape> moved_tape(sim::Tape tape, const Program& recorded, const Program& moved) {
  BOHR_TRY(moves, moves_between(recorded, moved));
  if (moves.empty()) return tape;
  const std::vector<Step> steps = steps_of(recorded);
  BOHR_TRY(items, items_of_steps(recorded, steps, tape));
  for (const Move& move : moves)
    for (const int32_t step : move.steps) {
      sim::Work* work = work_of(&tape, items[static_cast<size_t>(step)]);
      if (work->function)
        return Error{"replay-moved", address_text(move.from), "",
                     "a function of the host holds this address",
                     "give it other memory in the program itself"};
      apply(move, work);
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

// SPDX-License-Identifier: Apache-2.0
// A free inside a graph, or of an op that is in the program, ends a block's claim to be an output.
#include "model/outputs.h"

namespace bohr {

bool is_output(const Program& program, const Lifetime& lifetime) {
  if (lifetime.live) return true;
  if (lifetime.scratch) return false;
  const auto never = static_cast<int32_t>(program.ops.size());
  const bool freed =
      lifetime.free.known() && (lifetime.free.graph.valid() || lifetime.free.index < never);
  return lifetime.buffer || !freed;
}

std::vector<OutputPiece> outputs_of(const Program& program) {
  std::vector<OutputPiece> outputs;
  for (size_t i = 0; i < program.lifetimes.size(); ++i) {
    const Lifetime& lifetime = program.lifetimes[i];
    if (!is_output(program, lifetime)) continue;
    for (const Piece& piece : lifetime.pieces) outputs.push_back({LifetimeId(i), piece.range});
  }
  return outputs;
}

}  // namespace bohr

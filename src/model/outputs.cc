// SPDX-License-Identifier: Apache-2.0
// A free inside a graph, or of an op that is in the program, ends a block's claim to be an output.
#include "model/outputs.h"

#include <algorithm>

namespace bohr {

bool is_output(const Program& program, const Lifetime& lifetime) {
  if (lifetime.live) return true;
  if (lifetime.scratch) return false;
  const auto never = static_cast<int32_t>(program.ops.size());
  const bool freed =
      lifetime.free.known() && (lifetime.free.graph.valid() || lifetime.free.index < never);
  return lifetime.buffer || !freed;
}

namespace {

// Where blocks begin that an allocator above the driver handed out, sorted.
std::vector<uint64_t> block_begins(const Program& program) {
  std::vector<uint64_t> begins;
  for (const Lifetime& lifetime : program.lifetimes)
    if (!lifetime.driver)
      for (const Piece& piece : lifetime.pieces) begins.push_back(piece.range.begin);
  std::sort(begins.begin(), begins.end());
  return begins;
}

// Whether a driver allocation is what an allocator cuts its blocks from.
bool is_segment(const Lifetime& lifetime, const std::vector<uint64_t>& begins) {
  return lifetime.driver &&
         std::any_of(lifetime.pieces.begin(), lifetime.pieces.end(), [&](const Piece& piece) {
           const auto first = std::lower_bound(begins.begin(), begins.end(), piece.range.begin);
           return first != begins.end() && *first < piece.range.end;
         });
}

}  // namespace

std::vector<OutputPiece> outputs_of(const Program& program) {
  const std::vector<uint64_t> begins = block_begins(program);
  std::vector<OutputPiece> outputs;
  for (size_t i = 0; i < program.lifetimes.size(); ++i) {
    const Lifetime& lifetime = program.lifetimes[i];
    if (!is_output(program, lifetime) || is_segment(lifetime, begins)) continue;
    for (const Piece& piece : lifetime.pieces) outputs.push_back({LifetimeId(i), piece.range});
  }
  return outputs;
}

}  // namespace bohr

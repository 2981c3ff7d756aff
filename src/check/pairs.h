// SPDX-License-Identifier: Apache-2.0
// Pairs of ops or nodes whose accesses conflict and that no order connects.
#pragma once

#include <cstdint>
#include <vector>

#include "check/arena.h"
#include "model/program.h"

namespace bohr::check {

// An op outside graphs, or a node; a node of a particular launch where that matters.
struct Place {
  GraphId graph;  // invalid: `index` is an op
  int32_t index = 0;
  OpId launch;  // the launch that ran the node; invalid for pairs within one graph
  bool operator==(const Place&) const = default;
};

// Indices into the access tables of the two places.
struct Conflict {
  int32_t first = 0;
  int32_t second = 0;
};

// `first` precedes `second` in issue order.
struct Pair {
  Place first;
  Place second;
  std::vector<Conflict> conflicts;
  int64_t unlisted = 0;  // further pairs of the same two lists, counted only
};

inline const Op& op_at(const Program& program, const Place& place) {
  const auto i = static_cast<size_t>(place.index);
  return place.graph.valid() ? program.graphs[place.graph.index()].nodes[i] : program.ops[i];
}
// A stream runs it itself, at some time after it was issued.
inline bool stream_work(const Op& op) {
  return op.kind == OpKind::kernel || op.kind == OpKind::copy || op.kind == OpKind::fill ||
         op.kind == OpKind::callback;
}
inline const Access& access_at(const Program& program, const Place& place, int32_t access) {
  const auto i = static_cast<size_t>(access);
  return place.graph.valid() ? program.graphs[place.graph.index()].accesses[i]
                             : program.accesses[i];
}

// All of them, in issue order of the later op. A pair of nodes comes once however often its graphs
// are launched, at the first launches at which it happens. At most `limit` pairs are listed for two
// lists of one range; the others are counted on the last one listed.
std::vector<Pair> unordered_conflicts(const Program& program, const Arenas& arenas, int64_t limit);

}  // namespace bohr::check

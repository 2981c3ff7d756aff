// SPDX-License-Identifier: Apache-2.0
// Repairs of one held launch, tried in the process that holds it, and what that says of the repairs
// of the whole program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/check.h"
#include "explore/explore.h"
#include "model/program.h"
#include "model/repair.h"
#include "replay/replayer.h"

namespace bohr::app {

// A repair that was tried, and the site of its cause.
struct Tried {
  std::string site;
  Repair repair;
};

// All that were tried of one graph.
struct TriedRepairs {
  GraphId graph;
  std::string name;  // of the graph
  std::vector<Tried> repairs;
  Costs costs;
  bool varies = false;  // reason `fix-varies`
};

// Of a cause; empty: there is none.
const std::string& site_of(const Verdict& verdict, int32_t cause);

// `replayer` has learned once (replay/repaired.h); its program is `one`, a launch of `graph`, and
// `exploration` what was found on it. Order is tried by running orders that respect it and the
// repaired graph as a whole; other memory in a copy. Errors are those of checking and replaying.
Result<TriedRepairs> try_repairs(replay::Replayer& replayer, const Program& one, GraphId graph,
                                 const Exploration& exploration, const explore::Options& options,
                                 const check::Options& check);

// Puts what was tried into the repairs of the whole program: those with the same parts in that
// graph for a cause of the same site.
void tell_tried(std::span<const TriedRepairs> tried, const Verdict& verdict, Repairs* repairs);

}  // namespace bohr::app

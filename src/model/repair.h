// SPDX-License-Identifier: Apache-2.0
// What could be changed in a program so that every legal order is right. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "model/cost.h"
#include "model/program.h"

namespace bohr {

enum class RepairKind : uint8_t {
  edge,      // one missing order: an event record and a wait, or what its two sides need
  lifetime,  // a block is given back later, after a join that exists already
  separate   // a block gets memory of its own
};

// What an access of mode `update` is meant for: `read` and `written` are its two halves.
enum class Half : uint8_t { both, read, written };

// One access: of the table of a graph, or of the program's where that is invalid.
struct AccessRef {
  GraphId graph;
  uint32_t index = 0;
  Half half = Half::both;
  auto operator<=>(const AccessRef&) const = default;
};

struct RepairPart {
  RepairKind kind = RepairKind::edge;
  // edge: two nodes of `graph`, or two ops where it is invalid (a launch stands for its nodes).
  GraphId graph;
  int32_t from = -1;
  int32_t to = -1;
  LifetimeId lifetime;              // lifetime, separate: of this block
  std::vector<AccessRef> accesses;  // separate: of these alone; none: of the whole block
  Point until;                      // lifetime: given back here instead; unknown: never
  // For people: the labels of an edge's two sides; else the block's name, and what it is held for,
  // or whose accesses have their own.
  std::string first;
  std::string second;
  StackId first_stack;
  StackId second_stack;
  bool operator==(const RepairPart& other) const {
    return kind == other.kind && graph == other.graph && from == other.from && to == other.to &&
           lifetime == other.lifetime && accesses == other.accesses;
  }
};

// One way to repair one cause.
struct Repair {
  int32_t cause = 0;  // Cause::id
  RepairKind kind = RepairKind::edge;
  std::vector<RepairPart> parts;
  bool verified = false;
  bool in_copy = false;         // verified on a copy of the work, its addresses rewritten
  bool failed = false;          // not verified because a run of it did not hold
  bool by_check = false;        // no order of it was run: only the check says that it holds
  int32_t graphs_by_check = 0;  // where orders were run: of its graphs those in which none was
  bool covered = false;     // no part of it is needed: other causes' repairs mend this one as well
  bool chosen = false;      // the one that the other causes' proposals were verified with
  std::string refuted;      // where it is not verified: why
  uint64_t more_bytes = 0;  // of memory that is held or taken at once
  Cost cost;                // with the chosen repairs of the other causes in place
};

struct Repairs {
  std::vector<Repair> proposals;  // by cause, the preferred one first
  bool complete = false;          // all chosen ones together leave nothing
  Costs costs;
  std::vector<std::string> reasons;
};

const char* to_string(RepairKind kind);  // "edge", …

}  // namespace bohr

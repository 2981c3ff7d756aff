// SPDX-License-Identifier: Apache-2.0
// Whether a graph that a program has just made needs the edges of a fix file.
//
// A graph is known by its topology. It needs the edges where a pair of its nodes that the file
// names share bytes of a block and nothing orders them: the same nodes of another batch size, or of
// another pool, may use different bytes. How far blocks reach the file says, for graphs of the same
// sizes; of other sizes only what overlaps by the largest blocks of that topology is decided.
//
// Of a topology that the file does not have, only this is looked at: whether two of its nodes run
// the kernels of a pair, on the same bytes, with nothing to order them. Such a graph has the
// mistake, and which edges would mend it nobody has verified.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "patch/fix_file.h"
#include "patch/graph_key.h"

namespace bohr::patch {

enum class Need : uint8_t {
  elsewhere,   // no graph of the fix, nor its mistake
  not_needed,  // a graph of the fix; its pairs share nothing, or are in order
  needed,
  unresolved
};

struct Match {
  Need need = Need::elsewhere;
  std::vector<NewEdge> edges;  // needed: to add; those between nodes that are in order already
                               // are left out
  std::vector<NewEdge> pairs;  // needed: nodes that race, which the edges put in this order
  std::string why;             // unresolved
};

// Where the use's field of node `index`, or of the one inside it, points to. Nothing: it has no
// such address.
std::optional<uint64_t> address_of(const GraphView& graph, uint32_t index, const Use& use);

Match match(const FixFile& file, const GraphView& graph);

// Whether a graph that had these edges as well would have a circle.
bool makes_circle(const GraphView& graph, const std::vector<NewEdge>& edges);

// Whether all pairs are in order: the check after a match's edges were added.
bool in_order(const GraphView& graph, const std::vector<NewEdge>& pairs);

}  // namespace bohr::patch

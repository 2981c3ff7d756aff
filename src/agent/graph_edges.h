// SPDX-License-Identifier: Apache-2.0
// Edges that are added to a program's own graph: all of them or none.
#pragma once

#include <cuda.h>

#include <vector>

#include "agent/driver.h"
#include "patch/match.h"
#include "trace/writer/records.h"

namespace bohr::agent {

// Full edges between nodes of `graph`, numbered as in `handles`; a programmatic edge between two of
// them is made full, for there can be one edge only. `edges`: those that the graph has; followed
// along. False: the driver refused one, and the graph is as it was.
bool add_edges(const Driver& driver, CUgraph graph, const std::vector<CUgraphNode>& handles,
               const std::vector<patch::NewEdge>& wanted, trace::Edges* edges);

}  // namespace bohr::agent

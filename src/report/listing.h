// SPDX-License-Identifier: Apache-2.0
// What a trace holds, for `bohr show`: a summary, its ops, the nodes of one graph.
#pragma once

#include <span>
#include <string>

#include "report/entries.h"
#include "report/layout.h"

namespace bohr::report {

// Counts of what is inside each subject, and what its reader noticed.
std::string render_summary(std::span<const Subject> subjects, const Style& style);
// One line per op outside graphs.
std::string render_ops(const Program& program);
// One line per node of a graph, then its edges and allocator marks.
std::string render_graph(const Program& program, GraphId graph);

}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// The steps of a program: what a total order of it is an order of.
//
// An op that works on memory is one step; a programmatically launched kernel two, its early part
// and the rest; a copy from pageable memory outside a capture two, the reading of the source during
// the call and the write. A launch is the steps of all nodes of its graph, once more each time.
// Ops that only carry order (records, waits, allocator calls, host synchronisation) are no steps.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "model/program.h"

namespace bohr {

enum class Part : uint8_t { whole, early, rest, source, destination };

// Named by what any reader of the program sees: the op, or the launch and the node in its graph.
struct Step {
  OpId op;
  NodeId node;  // invalid outside graphs
  Part part = Part::whole;
  constexpr auto operator<=>(const Step&) const = default;
};

// In issue order, a launch's nodes in the issue order of its graph.
std::vector<Step> steps_of(const Program& program);

// The op behind a step: Program::ops[op], or the node.
const Op& work_of(const Program& program, const Step& step);
// All accesses of that op; those of this step are the ones that in_part() takes.
std::span<const Access> work_accesses(const Program& program, const Step& step);
bool in_part(const Access& access, Part part);

// Whether an op of this kind is a step.
bool is_work(OpKind kind);

}  // namespace bohr

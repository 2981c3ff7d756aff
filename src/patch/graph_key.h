// SPDX-License-Identifier: Apache-2.0
// What makes two graphs the same: their nodes' kinds and kernels, in the driver's order, and their
// edges. Addresses are left out, and sizes have a key of their own, for the graphs that a program
// captures for its batch sizes often differ in nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/range.h"
#include "trace/writer/records.h"

namespace bohr::patch {

// What lies inside one child graph node of a graph, by that node's index.
struct ChildGraph {
  uint32_t node = 0;
  std::vector<trace::Node> nodes;
  std::vector<ChildGraph> children;
};

// A graph as its records tell it. `name_of` gives the mangled name of a function number.
struct GraphView {
  std::span<const trace::Node> nodes;
  const trace::Edges& edges;
  std::function<std::string(uint32_t)> name_of;
  std::span<const ChildGraph> children = {};
};

// A node of the graph, or one inside it: `inside` has the index in each child graph on the way.
// Null: there is none.
const trace::Node* node_of(const GraphView& graph, uint32_t node, std::span<const uint32_t> inside);

// The mangled name of a kernel; "memcpy", "memset", "node 5", … for other nodes.
std::string kernel_of(const GraphView& graph, const trace::Node& node);

// An address in a kernel's parameters.
struct ParameterAddress {
  uint32_t offset = 0;
  uint64_t address = 0;
};
// The first aligned word of a kernel's parameters that is an address in `range`. Descriptors of
// tensors begin with theirs. Nothing: there is none.
std::optional<ParameterAddress> address_in(const trace::Node& kernel, ByteRange range);

uint64_t topology_key(const GraphView& graph);
// Launch dimensions, and the extents of copies and sets.
uint64_t sizes_key(const GraphView& graph);

}  // namespace bohr::patch

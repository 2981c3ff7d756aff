// SPDX-License-Identifier: Apache-2.0
#include "patch/graph_key.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/hash.h"

namespace bohr::patch {

namespace {

// As CUgraphNodeType numbers them.
constexpr uint32_t kKernel = 0;
constexpr uint32_t kCopy = 1;
constexpr uint32_t kSet = 2;

}  // namespace

const trace::Node* node_of(const GraphView& graph, uint32_t node,
                           std::span<const uint32_t> inside) {
  std::span<const trace::Node> nodes = graph.nodes;
  std::span<const ChildGraph> children = graph.children;
  for (const uint32_t next : inside) {
    const auto child = std::ranges::find(children, node, &ChildGraph::node);
    if (child == children.end()) return nullptr;
    nodes = child->nodes, children = child->children, node = next;
  }
  return node < nodes.size() ? &nodes[node] : nullptr;
}

std::string kernel_of(const GraphView& graph, const trace::Node& node) {
  if (node.type == kKernel) return graph.name_of(node.function);
  if (node.type == kCopy) return "memcpy";
  if (node.type == kSet) return "memset";
  return "node " + std::to_string(node.type);
}

std::optional<ParameterAddress> address_in(const trace::Node& kernel, ByteRange range) {
  ParameterAddress found;
  for (; found.offset + sizeof found.address <= kernel.params.size();
       found.offset += sizeof found.address) {
    std::memcpy(&found.address, kernel.params.data() + found.offset, sizeof found.address);
    if (found.address >= range.begin && found.address < range.end) return found;
  }
  return std::nullopt;
}

uint64_t topology_key(const GraphView& graph) {
  uint64_t key = graph.nodes.size();
  for (const trace::Node& node : graph.nodes) {
    key = combine(key, node.type);
    key = combine(key, hash(kernel_of(graph, node)));
  }
  // The driver lists edges in any order.
  std::vector<std::tuple<uint64_t, uint64_t, uint64_t>> edges;
  for (size_t i = 0; i < graph.edges.from.size(); ++i)
    edges.emplace_back(graph.edges.from[i], graph.edges.to[i], graph.edges.types[i]);
  std::sort(edges.begin(), edges.end());
  for (const auto& [from, to, type] : edges) key = combine(combine(combine(key, from), to), type);
  return key;
}

uint64_t sizes_key(const GraphView& graph) {
  uint64_t key = graph.nodes.size();
  for (const trace::Node& node : graph.nodes)
    for (const uint64_t size : {uint64_t{node.grid_x}, uint64_t{node.grid_y}, uint64_t{node.grid_z},
                                uint64_t{node.block_x}, uint64_t{node.block_y},
                                uint64_t{node.block_z}, node.width, node.height, node.depth})
      key = combine(key, size);
  return key;
}

}  // namespace bohr::patch

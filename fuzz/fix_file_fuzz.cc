// SPDX-License-Identifier: Apache-2.0
// Any bytes as a fix file. What is read is the same when it is written and read once more, and can
// be held against a graph, whatever it says of its nodes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "patch/match.h"

namespace bohr::patch {
namespace {

// A graph that has the topology and sizes which the first entry of a file asks for only by chance,
// and as many nodes as it has.
void match_some_graph(const FixFile& file) {
  constexpr size_t kMostNodes = 64;
  std::vector<trace::Node> nodes(
      file.graphs.empty() ? 3 : std::min<size_t>(file.graphs[0].nodes, kMostNodes));
  for (trace::Node& node : nodes) node.params.resize(24, 0x11);
  trace::Edges edges;
  const auto name_of = [](uint32_t) { return std::string("k"); };
  FixFile known = file;
  const GraphView graph{nodes, edges, name_of};
  match(known, graph);
  for (FixGraph& entry : known.graphs)
    if (entry.nodes == nodes.size())
      entry.topology = topology_key(graph), entry.sizes = sizes_key(graph);
  const Match found = match(known, graph);
  BOHR_CHECK(found.need != Need::needed || !found.pairs.empty());
}

}  // namespace
}  // namespace bohr::patch

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bohr;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = patch::parse_fix_file(text, "fuzz");
  if (!file.ok()) {
    BOHR_CHECK(file.error().code == "fix-file" || file.error().code == "fix-cycle");
    return 0;
  }
  const std::string once = patch::to_text(file.value());
  const auto again = patch::parse_fix_file(once, "fuzz");
  BOHR_CHECK(again.ok());
  BOHR_CHECK(patch::to_text(again.value()) == once);
  patch::match_some_graph(file.value());
  return 0;
}

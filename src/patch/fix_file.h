// SPDX-License-Identifier: Apache-2.0
// A repair in the form in which it can be put into a program's own graphs: edges to add, and how to
// know the graphs that need them. `bohr fix` and `bohr run --fix` write it, `bohr run --apply` and
// the agent read it.
//
// Nodes are numbered as the driver lists those of a captured graph, from 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace bohr::patch {

// The field of a node that holds an address.
enum class Field : uint8_t {
  parameter,    // eight bytes of a kernel's packed parameters
  destination,  // of a copy or set
  source,       // of a copy
  none          // the address is not in the node: read from memory, say
};

// One node's use of a block.
struct Use {
  uint32_t node = 0;
  std::vector<uint32_t> inside;  // a child graph node: from there on, by index in each child graph
  std::string kernel;            // as kernel_of() tells
  Field field = Field::none;
  uint32_t offset = 0;  // parameter: of the address, in bytes
  uint64_t into = 0;    // how far into the block the address points
  uint64_t bytes = 0;   // of the block
};

// Two nodes that race where they use the same bytes.
struct SharedPair {
  Use first;
  Use second;
  std::string site;  // of the cause, for people
};

struct NewEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  bool operator==(const NewEdge&) const = default;
};

// What a graph of one topology is to be given where its pairs share bytes. A graph of the same
// topology that needs nothing stands here as well, for the sizes of its blocks.
struct FixGraph {
  std::string name;
  uint64_t topology = 0;  // topology_key()
  uint64_t sizes = 0;     // sizes_key()
  uint32_t nodes = 0;
  std::vector<NewEdge> edges;
  std::vector<SharedPair> pairs;
};

struct FixFile {
  std::string made_from;             // for people
  std::vector<std::string> repairs;  // the same as sentences, for people
  std::vector<FixGraph> graphs;
  std::vector<std::string> without_edges;  // sites that no edge between nodes of a graph mends
};

std::string to_text(const FixFile& file);
// Refuses what is no fix file, of another schema, or damaged (`fix-file`), and one whose edges form
// a circle (`fix-cycle`).
Result<FixFile> parse_fix_file(std::string_view text, const std::string& source);
// Refuses a file that mends nothing by edges (`fix-no-edge-form`).
Status has_edge_form(const FixFile& file, const std::string& source);

}  // namespace bohr::patch

// SPDX-License-Identifier: Apache-2.0
// The records of a log by what they describe: every number that a record refers to another by is
// looked up here. The first record of a number wins; a second one is damage and is reported.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/import_diagnostics.h"
#include "trace/log_reader.h"

namespace bohr::trace {

// Of a version of another graph: that graph's, with nodes of its own in the place of some.
struct GraphRecords {
  const Graph* graph = nullptr;
  const GraphVersion* version = nullptr;
  std::vector<const Node*> nodes;  // sorted by index, each index once
  std::vector<const Edges*> edges;
};

struct CaptureRecords {
  const CaptureBegin* begin = nullptr;
  const CaptureEnd* end = nullptr;
};

// What work is known to touch: of a node by its graph, of other work by its call.
struct AccessKey {
  uint32_t graph = 0;
  uint32_t node = 0;
  uint64_t seq = 0;  // 0 for nodes
  auto operator<=>(const AccessKey&) const = default;
};

constexpr size_t kTensorMapBytes = 128;

// Tensor maps by their contents, which are only looked up where the first word is that of one.
struct TensorMaps {
  std::unordered_set<uint64_t> first_words;
  std::unordered_map<std::string_view, const TensorMap*> maps;
};
void add_tensor_map(const TensorMap& map, TensorMaps* maps);
// That begins there; null: none that is known.
const TensorMap* tensor_map_at(const TensorMaps& maps, const Bytes& image, size_t at);

struct LogIndex {
  std::map<uint32_t, const Stream*> streams;
  std::map<uint32_t, const Thread*> threads;
  std::map<uint32_t, const Stack*> stacks;
  std::unordered_map<uint32_t, const Function*> functions;
  std::map<uint32_t, GraphRecords> graphs;  // only numbers that a Graph or GraphVersion describes
  std::map<uint32_t, CaptureRecords> captures;
  std::map<std::pair<uint32_t, uint32_t>, const Conditional*> conditionals;  // by graph and node
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> graphs_in;  // the same
  std::map<AccessKey, std::vector<const AccessRecord*>> accesses;
  std::map<uint32_t, const Name*> stream_names;
  std::map<std::pair<uint64_t, uint64_t>, const Name*> memory_names;  // by address and call
  std::map<std::pair<uint64_t, uint64_t>, const Mapping*> mappings;   // by address and call
  std::vector<const BlockAlloc*> block_allocs;
  std::vector<const BlockFree*> block_frees;
  std::vector<const History*> history;                 // by index
  std::unordered_map<uint64_t, uint64_t> entry_calls;  // by index of the entry: its callback
  std::vector<const Segment*> segments;
  std::vector<const Device*> devices;
  std::vector<const Framework*> frameworks;
  std::vector<const Provenance*> provenance;
  std::vector<const Timing*> timings;
  TensorMaps tensor_maps;
  const Process* process = nullptr;
  const Scope* scope = nullptr;
  bool older_dropped = false;      // of the work outside graphs only the newest is there
  std::deque<Node> version_nodes;  // of versions: what was set, made by whoever made the first
  std::unordered_map<const Node*, uint64_t> set_at;  // of them: by which call
};

LogIndex index_log(const Log& log, Diagnostics* diagnostics);

// The name that the program gave memory of `address` with the call `seq`; null without one.
const Name* memory_name(const LogIndex& index, uint64_t address, uint64_t seq);

// A string of the log; empty when the id is not in its table.
inline std::string_view text_of(const Log& log, uint64_t id) {
  return id < log.strings.size() ? std::string_view(log.strings[id]) : std::string_view();
}

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Allocations and frees: lifetimes begin and end, at ops of the program or inside a capture.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/import_aliases.h"
#include "trace/import_captures.h"
#include "trace/import_history.h"

namespace bohr::trace {

class Lifetimes {
 public:
  Lifetimes(ImportState& state, Captures& captures, const BlockLives& blocks);

  // Segments that a framework lists and whose allocation was not recorded were there before.
  void begin_known_segments();
  void begin(const MemAlloc& record);
  void end(const MemFree& record);
  void begin_block(uint32_t life);
  void end_block(uint32_t life);
  // An allocation or free that is a node of a graph.
  void node(GraphId graph, NodeId node, const Node& record);

 private:
  // Stream-ordered memory that was freed and not handed out since.
  struct Freed {
    uint64_t end = 0;
    OpId record;  // on the stream of the free
    StreamId stream;
  };
  LifetimeId begin_driver(const MemAlloc& record, Lifetime lifetime, uint64_t seq);
  bool still_mapped(LifetimeId id);
  void begin_in_graph(GraphId graph, NodeId node, const Node& record);
  void end_in_graph(GraphId graph, NodeId node, const Node& record);
  Op allocator_op(OpKind kind, const Call& call, uint64_t seq, StreamId stream,
                  LifetimeId lifetime);
  OpId push(const Op& op);
  void end_evicted(const std::vector<LifetimeId>& evicted, GraphId graph);
  std::string name(StackId stack, const char* what, uint64_t bytes);
  void rename(uint64_t address, uint64_t seq, Lifetime* lifetime);
  void note_made(const Op& alloc);
  void note_freed(const Op& free);
  void wait_for_freed(const Op& alloc, ByteRange range);
  Point program_point() const;

  ImportState& state_;
  Captures& captures_;
  const BlockLives& blocks_;
  Aliases aliases_;
  std::map<LifetimeId, SharedMemory*> shared_;  // of memory with several addresses
  std::vector<LifetimeId> of_block_;            // by index into blocks_.lives
  std::map<uint64_t, Freed> freed_;             // by address; disjoint
  std::map<std::string, int32_t> named_;  // how many lifetimes have each name of the program's
};

// After the last op: what graphs allocate and do not free themselves has one lifetime for each
// launch, of which the first alone is told.
void settle_graph_memory(ImportState& state);

}  // namespace bohr::trace

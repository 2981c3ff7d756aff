// SPDX-License-Identifier: Apache-2.0
// All that happened, in the order in which it happened: calls by their entry, except that memory is
// there from the return of the call that allocated it.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/import_graphs.h"
#include "trace/import_history.h"
#include "trace/log_reader.h"

namespace bohr::trace {

enum class ItemKind : uint8_t {
  record,       // a: index into Log::records
  node,         // a: graph, b: node
  block_begin,  // a: index into BlockLives::lives
  block_end     // a: the same
};

struct Item {
  uint64_t seq = 0;
  // Among equal sequence numbers; 1 is what carries the number itself.
  uint8_t rank = 1;
  ItemKind kind = ItemKind::record;
  uint32_t a = 0;
  uint32_t b = 0;
};

std::vector<Item> timeline(const Log& log, const GraphPlans& plans, const BlockLives& blocks);

// When the memory of an allocation is there.
inline uint64_t returned_at(const Call& call) {
  return call.exit > call.seq ? call.exit : call.seq;
}

}  // namespace bohr::trace

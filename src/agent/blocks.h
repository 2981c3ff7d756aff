// SPDX-License-Identifier: Apache-2.0
// Which hand-outs of a framework's allocator, or of a driver's stream-ordered pool, stay in the
// log. A program that serves makes more of them than any log can hold, so where work outside graphs
// has room of its own (`--record graphs`), they lie there with it, and only those that graphs may
// need are kept for good.
//
// Kept is what a capture or a graph may use: a block that is live when a capture begins or a graph
// is read, one that is handed out while something captures, and one that has outlived a whole file
// of recent work. A block is kept with all that is told of it, whenever that comes: the callback
// that handed it out, the one that takes it back, and the allocator's entries. Which entry tells of
// which callback is worked out here and written down (`EntryCall`), because counting them, as is
// done where everything is recorded, needs all of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/writer/records.h"

namespace bohr::agent {

struct Recorder;

// Of a stream-ordered pool.
struct LiveMemory {
  trace::MemAlloc alloc;
  bool kept = false;  // in the log
};

struct LiveBlock {
  trace::BlockAlloc alloc;
  std::optional<trace::History> entry;  // once it was read
  bool kept = false;                    // in the log
};

// A callback that the allocator's history has not told of yet.
struct UntoldCallback {
  uint64_t seq = 0;
  bool alloc = false;
  bool kept = false;
  bool waited = false;  // the history was read without it
};

// Of one address, in their order; those ahead of `next` were told of.
struct UntoldCallbacks {
  std::vector<UntoldCallback> list;
  size_t next = 0;
};

// An entry whose callback has not come yet.
struct EarlyEntry {
  trace::History entry;
  bool waited = false;  // the history was read once more without it
};

struct Blocks {
  std::mutex mutex;
  std::unordered_map<uint64_t, LiveBlock> live;          // by address
  std::unordered_map<uint64_t, UntoldCallbacks> untold;  // by address
  std::unordered_map<uint64_t, EarlyEntry> early;        // by address, of hand-outs
  std::unordered_map<uint64_t, LiveMemory> pooled;       // by address
  std::unordered_map<uint64_t, bool> ending;  // by address: kept, of blocks asked to be freed
  // Files of recent work that had been begun when live blocks were last kept; the first always is.
  std::atomic<uint64_t> turn{1};
  bool refused = false;  // the recent work took no more
};

void block_allocated(Recorder& r, const trace::BlockAlloc& record);
void block_freed(Recorder& r, const trace::BlockFree& record);
void pooled_allocated(Recorder& r, const trace::MemAlloc& record);
void pooled_freed(Recorder& r, const trace::MemFree& record);
// The next entry of the allocator's history.
void block_told(Recorder& r, const trace::History& entry);
// The history was read, as it stood at `since` or later. What it has not told of by then it never
// will, but for what threads were about: the allocator notes a hand-out before its callback, and
// the end of one behind its callback. Callbacks that came since are told of next time.
void history_read(Recorder& r, uint64_t since);
// No callback comes any more.
void blocks_end(Recorder& r);

// Everything that is live now is kept.
void keep_live_blocks(Recorder& r);

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// The caching allocator of the simulated GPU, which behaves as PyTorch's does: the same requests
// get the same blocks. It keeps books about addresses and touches no memory.
//
// A freed block is handed out again at once, to its own stream and without any event: to allocate
// and to free is to use the block on that stream. Other streams that use it must be named with
// record_stream. Then a free is only requested: outside captures an event is recorded on each
// named stream, and the free completes at the next allocation that finds them all done. While any
// capture is underway no event can be asked, so such a free waits for the first allocation after
// the last capture has ended; uses named during a capture are then over and need no event (nor do
// those that are named once more outside, a gap of PyTorch's).
//
// What a capture allocates comes from a private pool, which several graphs may share, one capture
// at a time. Blocks of the pool are freed into the pool, so that a later capture gets the bytes of
// an earlier one; the pool's segments stay until its last graph is gone, and go back to the driver
// when the cache is next emptied.
//
// The cache is emptied on request, and when the driver has no memory left and no capture is
// underway: all outstanding events are waited for and every segment without a block in use goes
// back. (PyTorch 2.11, "native" backend, default settings; sim_allocator_pytorch_test.cc compares.
// Events of several streams are asked in the order of stream numbers, where PyTorch's order is
// that of a hash table.)
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "gpu/sim/segment_blocks.h"
#include "trace/writer/records.h"

namespace bohr::gpu::sim {

using EventToken = Id<struct EventTokenTag>;

// One line of the memory history. Bytes are the requested ones, but a segment's own.
struct HistoryEntry {
  trace::HistoryAction action = trace::HistoryAction::other;
  uint64_t address = 0;
  uint64_t bytes = 0;
  StreamId stream;
  PoolId pool;  // none: the default pool
  bool operator==(const HistoryEntry&) const = default;
};

// What the allocator asks of the device. Segments are multiples of 2 MiB and lie apart.
struct AllocatorDriver {
  std::function<std::optional<uint64_t>(uint64_t bytes)> segment_alloc;  // none: out of memory
  std::function<void(uint64_t address)> segment_free;
  std::function<EventToken(StreamId)> record;  // an event, at the end of the stream's work so far
  std::function<bool(EventToken)> done;
  std::function<void(EventToken)> wait;
  std::function<void(const HistoryEntry&)> note;
};

struct Allocation {
  uint64_t address = 0;
  PoolId pool;
};

class CachingAllocator {
 public:
  explicit CachingAllocator(AllocatorDriver driver) : driver_(std::move(driver)) {}

  Result<Allocation> alloc(uint64_t bytes, StreamId stream);  // bytes > 0
  Status free(uint64_t address);
  Status record_stream(uint64_t address, StreamId stream);
  Status empty_cache();

  // From now on streams for which `captures` says so allocate from this pool. The graph that is
  // captured holds the pool until drop_graph, whether or not its capture succeeds.
  Status begin_capture(PoolId pool, std::function<bool(StreamId)> captures);
  void end_capture(PoolId pool);
  void drop_graph(PoolId pool);

  const SegmentBlocks& memory() const { return memory_; }

 private:
  struct Capture {
    PoolId pool;
    std::function<bool(StreamId)> captures;
  };
  struct Uses {
    std::map<StreamId, bool> streams;  // true: named during a capture
    int events = 0;                    // recorded and not yet seen done
  };

  FreeList list_for(uint64_t bytes, StreamId stream) const;
  std::optional<uint64_t> new_segment(const FreeList& list, uint64_t bytes);
  void release_cache();
  void release_unused(PoolId pool, SegmentKind kind);
  void complete_done_frees();
  void complete_all_frees();
  void resume_captured_frees();
  void record_events(uint64_t address);
  void count_event(uint64_t address);
  void complete_free(uint64_t address);
  void note(trace::HistoryAction action, uint64_t address);

  AllocatorDriver driver_;
  SegmentBlocks memory_;
  std::map<PoolId, int> graphs_;  // how many hold a private pool; 0: it goes when emptied
  std::vector<Capture> captures_;
  std::map<uint64_t, Uses> uses_;         // by address of a live or waiting block
  std::vector<uint64_t> captured_frees_;  // wait until no capture is underway
  std::map<StreamId, std::deque<std::pair<EventToken, uint64_t>>> events_;
};

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// The records of memory that the driver or a framework's allocator handed out and took back.
#pragma once

#include <cstdint>

#include "trace/writer/record_types.h"

namespace bohr::trace {

struct MemAlloc {
  static constexpr Kind kKind = Kind::mem_alloc;
  static constexpr const char* kName = "mem_alloc";
  Call call;
  Layer layer = Layer::driver;
  Memory memory = Memory::device;
  uint64_t address = 0;  // as the device sees it
  uint64_t bytes = 0;
  uint32_t stream = 0;  // stream-ordered allocations
  uint64_t pool = 0;
  uint32_t device = 0;
  bool operator==(const MemAlloc&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("layer", s.layer), v("memory", s.memory), v("address", s.address);
    v("bytes", s.bytes), v("stream", s.stream), v("pool", s.pool), v("device", s.device);
  }
};

struct MemFree {
  static constexpr Kind kKind = Kind::mem_free;
  static constexpr const char* kName = "mem_free";
  Call call;
  Layer layer = Layer::driver;
  uint64_t address = 0;
  uint32_t stream = 0;
  bool operator==(const MemFree&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("layer", s.layer), v("address", s.address), v("stream", s.stream);
  }
};

// The memory of the MemAlloc of the call `seq` shows the bytes of `physical` from `offset` on. What
// shows at several addresses is one memory.
struct Mapping {
  static constexpr Kind kKind = Kind::mapping;
  static constexpr const char* kName = "mapping";
  uint64_t seq = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t physical = 0;
  uint64_t offset = 0;
  bool operator==(const Mapping&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("seq", s.seq), v("address", s.address), v("bytes", s.bytes);
    v("physical", s.physical), v("offset", s.offset);
  }
};

// A framework allocator handed out (or took back) `address` now: placed by a live callback, with
// the stack of that moment. Sizes, streams and pools come from History, matched by address and
// occurrence.
struct BlockAlloc {
  static constexpr Kind kKind = Kind::block_alloc;
  static constexpr const char* kName = "block_alloc";
  Call call;
  uint64_t address = 0;
  bool operator==(const BlockAlloc&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("address", s.address);
  }
};

struct BlockFree {
  static constexpr Kind kKind = Kind::block_free;
  static constexpr const char* kName = "block_free";
  Call call;
  uint64_t address = 0;
  bool operator==(const BlockFree&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("call", s.call), v("address", s.address);
  }
};

// One entry of the framework's own memory history, in its order. `index` counts from 0 over the
// whole process. `stack` 0: that of the matching BlockAlloc or BlockFree.
struct History {
  static constexpr Kind kKind = Kind::history;
  static constexpr const char* kName = "history";
  uint64_t index = 0;
  uint32_t device = 0;
  HistoryAction action = HistoryAction::other;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t stream = 0;
  uint64_t pool_a = 0, pool_b = 0;
  uint32_t stack = 0;
  bool operator==(const History&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("index", s.index), v("device", s.device), v("action", s.action), v("address", s.address);
    v("bytes", s.bytes), v("stream", s.stream), v("pool_a", s.pool_a), v("pool_b", s.pool_b);
    v("stack", s.stack);
  }
};

// The entry `index` of the history tells of the callback `seq`. Written where not all callbacks and
// entries are kept, so that they cannot be matched by occurrence.
struct EntryCall {
  static constexpr Kind kKind = Kind::entry_call;
  static constexpr const char* kName = "entry_call";
  uint64_t index = 0;
  uint64_t seq = 0;
  bool operator==(const EntryCall&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("index", s.index), v("seq", s.seq);
  }
};

struct Segment {
  static constexpr Kind kKind = Kind::segment;
  static constexpr const char* kName = "segment";
  uint32_t device = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t stream = 0;
  uint64_t pool_a = 0, pool_b = 0;
  bool operator==(const Segment&) const = default;
  template <class V, class S>
  static void fields(V&& v, S& s) {
    v("device", s.device), v("address", s.address), v("bytes", s.bytes), v("stream", s.stream);
    v("pool_a", s.pool_a), v("pool_b", s.pool_b);
  }
};

}  // namespace bohr::trace

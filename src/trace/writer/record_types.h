// SPDX-License-Identifier: Apache-2.0
// What records are made of: the version of the log, the numbers of their kinds, and the types of
// their fields. The kinds themselves are in records.h.
#pragma once

#include <cstdint>
#include <vector>

namespace bohr::trace {

using Bytes = std::vector<uint8_t>;
using Numbers = std::vector<uint64_t>;

// An id in the log's string table; 0 is the empty string.
struct Text {
  uint32_t id = 0;
  bool operator==(const Text&) const = default;
};

// Bump when a field or a kind changes meaning; readers refuse newer versions and say so.
// 2: host_write. 3: access, host_access. 4: graph_version. 5: tensor_map, conditional, mapping.
// 6: entry_call.
constexpr uint32_t kLogVersion = 6;

enum class Kind : uint16_t {
  string = 1,
  process = 2,
  device = 3,
  thread = 4,
  stack = 5,
  function = 6,
  framework = 7,
  provenance = 8,
  scope = 9,
  stream = 10,
  stream_gone = 11,
  name = 12,
  code = 13,
  stream_handle = 14,
  clock = 15,
  kernel = 20,
  copy = 21,
  set = 22,
  host_func = 23,
  unmodelled = 24,
  host_write = 25,
  access = 26,
  timing = 27,
  tensor_map = 28,
  event_record = 30,
  event_wait = 31,
  host_sync = 32,
  host_access = 33,
  conditional = 34,
  capture_begin = 40,
  capture_end = 41,
  graph = 42,
  node = 43,
  edges = 44,
  exec = 45,
  exec_change = 46,
  launch = 47,
  exec_gone = 48,
  graph_version = 49,
  mem_alloc = 50,
  mem_free = 51,
  mapping = 52,
  block_alloc = 60,
  block_free = 61,
  history = 62,
  segment = 63,
  entry_call = 64,
  diagnostic = 90,
  end = 91
};

// What every recorded call carries.
struct Call {
  uint64_t seq = 0;
  uint64_t exit = 0;
  uint32_t thread = 0;
  uint32_t stack = 0;
  bool operator==(const Call&) const = default;
};

enum class StreamType : uint8_t { nonblocking, blocking, legacy, per_thread };
enum class Memory : uint8_t { unknown, device, pinned, pageable, managed, array };
enum class Return : uint8_t { at_once, after_source_read, after_completion };
enum class ParamForm : uint8_t { none, array, buffer, unreadable };
// Who told where a function's parameters lie: nobody, the driver, or the cubin that it came from.
enum class LayoutSource : uint8_t { none, driver, cubin };
enum class SyncKind : uint8_t { stream, event, context, stream_query, event_query };
enum class Layer : uint8_t { driver, stream_ordered, host, host_register, managed, mapped, ipc };
enum class Mode : uint8_t { read, write, update, atomic };
enum class ProvenanceKind : uint8_t { library, package, variable, option };
// What decides how often a conditional node's bodies run: once or not at all, as long as a value is
// not zero, or the one that the value names.
enum class Condition : uint8_t { once, loop, choice };
enum class Source : uint8_t { declared, observed };
enum class HistoryAction : uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  other
};

// Launch attributes that matter to order; bits of Kernel::attributes and Node::attributes.
constexpr uint32_t kAttributeCooperative = 1;
constexpr uint32_t kAttributeCluster = 2;
constexpr uint32_t kAttributeProgrammatic = 4;
constexpr uint32_t kAttributeOther = 8;
constexpr uint32_t kAttributeDeviceUpdatable = 16;  // a kernel may change what the node does
// Of batches of memory operations: these are among them.
constexpr uint32_t kAttributeWaitsForValue = 32;
constexpr uint32_t kAttributeWritesValue = 64;

// An event version that the recorder could not know (created before it was attached).
constexpr uint64_t kUnknownVersion = ~uint64_t{0};

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Reads an event log into its records, up to the last whole one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "trace/writer/records.h"

namespace bohr::trace {

using AnyRecord =
    std::variant<Process, Device, Thread, Stack, Function, Framework, Provenance, Scope, Stream,
                 StreamGone, Name, Code, StreamHandle, Clock, Kernel, Copy, Set, HostFunc,
                 Unmodelled, HostWrite, AccessRecord, Timing, TensorMap, EventRecord, EventWait,
                 HostSync, HostAccess, Conditional, CaptureBegin, CaptureEnd, Graph, Node, Edges,
                 Exec, ExecChange, Launch, ExecGone, GraphVersion, MemAlloc, MemFree, Mapping,
                 BlockAlloc, BlockFree, History, Segment, EntryCall, Diagnostic, End>;

// A type of its own, whose members stand in one source: a variant of so many kinds takes seconds to
// compile in each source that copies, moves or destroys it.
struct Record : AnyRecord {
  using AnyRecord::AnyRecord;
  Record();
  Record(const Record& other);
  Record(Record&& other) noexcept;
  Record& operator=(const Record& other);
  Record& operator=(Record&& other) noexcept;
  ~Record();
  bool operator==(const Record& other) const;
};

// The records of one process, in the order in which they were written. `strings[0]` is empty.
// Readers vouch that every Text and every string id of a Stack lies in `strings`, that every
// enumeration holds one of its values, and that lists which belong together are of one length.
// What was damaged or cut off is a Diagnostic record at the end (reason `lost-records`), never
// silence.
struct Log {
  std::string source;
  std::vector<std::string> strings;
  std::vector<Record> records;
};

// Refuses what is no event log, or a newer version, or damaged in its head.
Result<Log> read_log(std::span<const uint8_t> bytes, const std::string& source);

// Adds the records of a part (trace/writer/recent_log.h), whose strings are the log's. A part that
// is damaged, or cut off, gives what can be read of it, and a Diagnostic.
void add_part(std::span<const uint8_t> bytes, Log* log);

}  // namespace bohr::trace

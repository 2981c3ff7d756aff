// SPDX-License-Identifier: Apache-2.0
// Where memory came from, by address: tells pinned from pageable and managed from device memory
// without asking the driver, which is not always legal while a stream captures.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>

#include "trace/writer/records.h"

namespace bohr::agent {

struct Recorder;

struct MemoryRange {
  uint64_t end = 0;
  trace::Memory memory = trace::Memory::device;
  trace::Layer layer = trace::Layer::driver;
  bool shared = false;  // with another process
};

struct MemoryMap {
  std::map<uint64_t, MemoryRange> ranges;  // by first byte
  bool mappings_exported = false;          // some mapped memory was, which one is not known
};

void memory_added(Recorder& r, uint64_t address, uint64_t bytes, trace::Memory memory,
                  trace::Layer layer);
// The layer that the range was added with; `fallback` when it is not known.
trace::Layer memory_removed(Recorder& r, uint64_t address, trace::Layer fallback);

// The allocation was exported to other processes.
void memory_exported(Recorder& r, uint64_t address);
void mappings_exported(Recorder& r);
// An address within [begin, end) that another process may read or write, or 0.
uint64_t shared_memory_in(Recorder& r, uint64_t begin, uint64_t end);

// Of a pointer that was passed as host or unified memory.
trace::Memory memory_kind(Recorder& r, const void* pointer, bool host_side);

}  // namespace bohr::agent

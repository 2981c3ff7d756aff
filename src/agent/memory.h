// SPDX-License-Identifier: Apache-2.0
// Where memory came from, by address: tells pinned from pageable and managed from device memory
// without asking the driver, which is not always legal while a stream captures. And what physical
// memory shows where: its handle is a number of the driver's, which comes back once it is released.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "trace/writer/records.h"

namespace bohr::agent {

struct Recorder;

struct MemoryRange {
  uint64_t end = 0;
  trace::Memory memory = trace::Memory::device;
  trace::Layer layer = trace::Layer::driver;
  bool shared = false;    // with another process
  uint32_t physical = 0;  // what it shows, of a mapping
};

struct Physical {
  uint32_t number = 0;
  bool imported = false;  // from another process, as far as anybody can tell
};

struct MemoryMap {
  std::map<uint64_t, MemoryRange> ranges;  // by first byte
  bool export_told = false;
  bool mappings_exported = false;  // some mapped memory was, which one is not known
  std::unordered_map<uint64_t, Physical> physical;  // by handle
  uint32_t last_physical = 0;
};

void memory_added(Recorder& r, uint64_t address, uint64_t bytes, trace::Memory memory,
                  trace::Layer layer);
// The layer that the range was added with; `fallback` when it is not known.
trace::Layer memory_removed(Recorder& r, uint64_t address, trace::Layer fallback);

// Physical memory got a handle: it is new, or it was imported.
void physical_added(Recorder& r, uint64_t handle, bool imported);
// A handle was asked for what is mapped at an address.
void physical_retained(Recorder& r, uint64_t handle, uint64_t address);
// What the handle names; memory of its own where no call that made it was seen.
Physical physical_of(Recorder& r, uint64_t handle);
// `address`, a mapping, shows it.
void physical_mapped(Recorder& r, uint64_t address, uint32_t physical);
// Takes out the mappings that begin in a range. Their addresses.
std::vector<uint64_t> mappings_removed(Recorder& r, uint64_t begin, uint64_t end);

// The allocation was exported to other processes.
void memory_exported(Recorder& r, uint64_t address);
void mappings_exported(Recorder& r);
// An address within [begin, end) that another process may read or write, or 0.
uint64_t shared_memory_in(Recorder& r, uint64_t begin, uint64_t end);

// Of a pointer that was passed as host or unified memory.
trace::Memory memory_kind(Recorder& r, const void* pointer, bool host_side);

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
#include "agent/memory.h"

#include <algorithm>

#include "agent/recorder.h"

namespace bohr::agent {
namespace {

// What the driver says of a pointer that no seen call made. Only asked while nothing captures.
trace::Memory ask_driver(Recorder& r, uint64_t address, bool host_side) {
  // Where nothing is recorded, captures are not counted either.
  if (r.only_applies || r.captures_active.load(std::memory_order_relaxed) > 0)
    return trace::Memory::unknown;
  unsigned type = 0, managed = 0;
  if (r.driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) !=
      CUDA_SUCCESS) {
    return host_side ? trace::Memory::pageable : trace::Memory::unknown;
  }
  r.driver.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
  if (managed) return trace::Memory::managed;
  return type == CU_MEMORYTYPE_HOST ? trace::Memory::pinned : trace::Memory::device;
}

}  // namespace

void memory_added(Recorder& r, uint64_t address, uint64_t bytes, trace::Memory memory,
                  trace::Layer layer) {
  std::lock_guard lock(r.mutex);
  r.memory.ranges[address] = {address + bytes, memory, layer, layer == trace::Layer::ipc};
}

void memory_exported(Recorder& r, uint64_t address) {
  std::lock_guard lock(r.mutex);
  auto next = r.memory.ranges.upper_bound(address);
  if (next != r.memory.ranges.begin()) std::prev(next)->second.shared = true;
}

void mappings_exported(Recorder& r) {
  std::lock_guard lock(r.mutex);
  r.memory.mappings_exported = true;
}

uint64_t shared_memory_in(Recorder& r, uint64_t begin, uint64_t end) {
  std::lock_guard lock(r.mutex);
  auto at = r.memory.ranges.upper_bound(begin);
  if (at != r.memory.ranges.begin()) --at;
  for (; at != r.memory.ranges.end() && at->first < end; ++at) {
    const MemoryRange& range = at->second;
    const bool shared =
        range.shared || (range.layer == trace::Layer::mapped && r.memory.mappings_exported);
    if (shared && range.end > begin) return std::max(begin, at->first);
  }
  return 0;
}

trace::Layer memory_removed(Recorder& r, uint64_t address, trace::Layer fallback) {
  r.frees.fetch_add(1, std::memory_order_relaxed);
  std::lock_guard lock(r.mutex);
  auto found = r.memory.ranges.find(address);
  if (found == r.memory.ranges.end()) return fallback;
  const trace::Layer layer = found->second.layer;
  r.memory.ranges.erase(found);
  return layer;
}

trace::Memory memory_kind(Recorder& r, const void* pointer, bool host_side) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  {
    std::lock_guard lock(r.mutex);
    auto next = r.memory.ranges.upper_bound(address);
    if (next != r.memory.ranges.begin()) {
      const MemoryRange& range = std::prev(next)->second;
      if (address < range.end) return range.memory;
    }
  }
  return ask_driver(r, address, host_side);
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
#include "agent/memory.h"

#include <algorithm>
#include <utility>

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

// Says, once, that somebody else may write memory of this process.
void report_exported(Recorder& r) {
  {
    std::lock_guard lock(r.mutex);
    if (std::exchange(r.memory.export_told, true)) return;
  }
  diagnose(r, "peer-communication", "memory was exported to other processes");
}

}  // namespace

void memory_added(Recorder& r, uint64_t address, uint64_t bytes, trace::Memory memory,
                  trace::Layer layer) {
  std::lock_guard lock(r.mutex);
  r.memory.ranges[address] = {address + bytes, memory, layer, layer == trace::Layer::ipc, 0};
}

void physical_added(Recorder& r, uint64_t handle, bool imported) {
  std::lock_guard lock(r.mutex);
  r.memory.physical[handle] = {++r.memory.last_physical, imported};
}

void physical_retained(Recorder& r, uint64_t handle, uint64_t address) {
  std::lock_guard lock(r.mutex);
  auto next = r.memory.ranges.upper_bound(address);
  if (next == r.memory.ranges.begin()) return;
  const MemoryRange& range = std::prev(next)->second;
  if (address >= range.end || range.physical == 0) return;
  r.memory.physical[handle] = {range.physical, range.layer == trace::Layer::ipc};
}

Physical physical_of(Recorder& r, uint64_t handle) {
  std::lock_guard lock(r.mutex);
  auto [found, added] = r.memory.physical.try_emplace(handle);
  if (added) found->second.number = ++r.memory.last_physical;
  return found->second;
}

void physical_mapped(Recorder& r, uint64_t address, uint32_t physical) {
  std::lock_guard lock(r.mutex);
  auto found = r.memory.ranges.find(address);
  if (found != r.memory.ranges.end()) found->second.physical = physical;
}

std::vector<uint64_t> mappings_removed(Recorder& r, uint64_t begin, uint64_t end) {
  r.frees.fetch_add(1, std::memory_order_relaxed);
  std::lock_guard lock(r.mutex);
  std::vector<uint64_t> addresses;
  auto& ranges = r.memory.ranges;
  const auto last = ranges.lower_bound(end);
  for (auto at = ranges.lower_bound(begin); at != last; at = ranges.erase(at)) {
    addresses.push_back(at->first);
  }
  return addresses;
}

void memory_exported(Recorder& r, uint64_t address) {
  report_exported(r);
  std::lock_guard lock(r.mutex);
  auto next = r.memory.ranges.upper_bound(address);
  if (next != r.memory.ranges.begin()) std::prev(next)->second.shared = true;
}

void mappings_exported(Recorder& r) {
  report_exported(r);
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

// SPDX-License-Identifier: Apache-2.0
#include "trace/import_state.h"

#include "trace/import_kernel_name.h"

namespace bohr::trace {

KernelInfo& kernel_info(ImportState& state, uint32_t function) {
  const auto [it, is_new] = state.kernels.try_emplace(function);
  if (!is_new) return it->second;
  const auto record = state.index.functions.find(function);
  if (record == state.index.functions.end() || !record->second) {
    it->second.label = state.tables.name("unknown kernel");
    return it->second;
  }
  const std::string_view name = text_of(state.log, record->second->name.id);
  it->second.label = state.tables.name(name.empty() ? "unknown kernel" : kernel_label(name));
  it->second.layout = param_layout(*record->second, name);
  return it->second;
}

MemoryKind memory_kind(Memory memory) {
  switch (memory) {
    case Memory::pinned:
      return MemoryKind::pinned;
    case Memory::pageable:
      return MemoryKind::pageable;
    case Memory::managed:
      return MemoryKind::managed;
    default:
      return MemoryKind::device;
  }
}

}  // namespace bohr::trace

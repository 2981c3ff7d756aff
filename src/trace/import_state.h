// SPDX-License-Identifier: Apache-2.0
// What the parts of import share while one log becomes one program, and small translations between
// the words of the two.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/program.h"
#include "trace/import_diagnostics.h"
#include "trace/import_index.h"
#include "trace/import_memory.h"
#include "trace/import_params.h"
#include "trace/import_tables.h"
#include "trace/machine_code.h"

namespace bohr::trace {

// What import needs to know of a kernel function, worked out at its first use.
struct KernelInfo {
  NameId label;
  ParamLayout layout;
};

// An access to memory of which no allocation is known; it gets its lifetime at the end.
struct UnknownAccess {
  GraphId graph;  // invalid: an access of Program::accesses
  uint32_t access = 0;
  MemoryKind memory = MemoryKind::device;
  uint64_t seq = 0;
};

// An access that may be an end pointer, unless the slot that held it turns out to hold none.
struct DoubtedEnd {
  GraphId graph;  // invalid: an access of Program::accesses
  uint32_t access = 0;
  const KernelInfo* kernel = nullptr;
  uint32_t slot = 0;
};

struct ImportState {
  explicit ImportState(const Log& l)
      : log(l), index(index_log(l, &diagnostics)), tables(l, index, &program, &diagnostics) {}
  ImportState(const ImportState&) = delete;
  ImportState& operator=(const ImportState&) = delete;

  const Log& log;
  Diagnostics diagnostics;
  LogIndex index;
  Program program;
  Tables tables;
  MemoryMap memory{&program, &diagnostics};
  ParamScanner scanner{index.tensor_maps};
  std::unordered_map<uint32_t, KernelInfo> kernels;
  GridCodes grid_codes;
  std::vector<UnknownAccess> unknown_accesses;
  std::vector<DoubtedEnd> doubted_ends;
};

KernelInfo& kernel_info(ImportState& state, uint32_t function);

// Memory of a copy as the model names it; `unknown` and arrays count as the device's.
MemoryKind memory_kind(Memory memory);

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Gives an op its accesses: what its parameters name, or the exact bytes that it copies or sets.
#pragma once

#include <cstdint>

#include "model/program.h"
#include "trace/import_state.h"

namespace bohr::trace {

// Where an op's accesses go: the table of the program (graph invalid) or of one of its graphs.
struct AccessTable {
  GraphId graph;
};

// What the log itself says that the work touches. False, and nothing done, where it says nothing.
bool add_known_accesses(ImportState& state, AccessTable table, const AccessKey& work, uint64_t seq,
                        Op* op);

void add_kernel_accesses(ImportState& state, AccessTable table, uint32_t function, ParamForm form,
                         const Bytes& image, uint64_t seq, Op* op);

// A copy, or with `src_memory` ignored a set: both as trace::Copy describes them.
struct Transfer {
  uint64_t dst = 0, src = 0;
  uint64_t width = 0, height = 1, depth = 1;
  uint64_t dst_pitch = 0, dst_slice = 0;
  uint64_t src_pitch = 0, src_slice = 0;
  Memory dst_memory = Memory::unknown;
  Memory src_memory = Memory::unknown;
};

template <class R>
Transfer transfer_of(const R& r) {
  return {r.dst,       r.src,       r.width,     r.height,     r.depth,     r.dst_pitch,
          r.dst_slice, r.src_pitch, r.src_slice, r.dst_memory, r.src_memory};
}

void add_copy_accesses(ImportState& state, AccessTable table, const Transfer& transfer,
                       uint64_t seq, Op* op);
void add_set_accesses(ImportState& state, AccessTable table, const Transfer& transfer, uint64_t seq,
                      Op* op);
// "memcpy H2D" and the like.
NameId copy_label(ImportState& state, const Transfer& transfer);

// After the last op: takes back doubts that other launches of the same kernels settled.
void settle_doubted_ends(ImportState& state);

// After the last op: gives accesses to memory without a known allocation a buffer for each region
// that they cover.
void add_unknown_regions(ImportState& state);

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// A transfer's range is cut where the owner of its bytes changes. Bytes without a known owner (host
// memory that nobody registered, device memory from before recording) become buffers at the end,
// one for each connected region, so that two transfers through the same bytes still conflict.
#include "trace/import_accesses.h"

#include <algorithm>
#include <string>

#include "trace/import_strided.h"

namespace bohr::trace {

namespace {

constexpr int kPartsOfOneSide = 128;  // of a transfer; more of them bound nothing

std::vector<Access>& accesses(ImportState& state, AccessTable table) {
  return table.graph.valid() ? state.program.graphs[table.graph.index()].accesses
                             : state.program.accesses;
}

bool is_host(Memory memory) { return memory == Memory::pinned || memory == Memory::pageable; }

Access transfer_access(ByteRange range, AccessMode mode, bool exact) {
  Access access;
  access.range = range;
  access.address = range.begin;
  access.mode = mode;
  access.certainty = exact ? Certainty::exact : Certainty::may;
  access.source = AccessSource::copy;
  return access;
}

// Adds the part of `range` that has one owner, or none, and returns where it ends.
uint64_t add_part(ImportState& state, AccessTable table, const Access& whole, Memory memory,
                  uint64_t seq) {
  std::vector<Access>& list = accesses(state, table);
  Access part = whole;
  const Owner owner = state.memory.owner(part.range.begin);
  if (owner.lifetime.valid()) {
    part.range.end = std::min(part.range.end, owner.range.end);
    part.lifetime = owner.lifetime;
    part.doubt = owner.doubt;
    state.memory.append(part, owner, &list);
  } else {
    part.range.end = std::min(part.range.end, state.memory.next_owned(part.range.begin));
    state.unknown_accesses.push_back(
        {table.graph, static_cast<uint32_t>(list.size()), memory_kind(memory), seq});
    list.push_back(part);
  }
  return part.range.end;
}

// Cuts a range where its owner changes; `parts` counts over the ranges of one side of a transfer.
void add_parts(ImportState& state, AccessTable table, Access rest, Memory memory, uint64_t seq,
               int* parts, Op* op) {
  while (!rest.range.empty() && (*parts)++ < kPartsOfOneSide) {
    rest.range.begin = add_part(state, table, rest, memory, seq);
    if (rest.address != 0) rest.address = rest.range.begin;
  }
  if (rest.range.empty()) return;
  op->unknown = true;
  state.diagnostics.add("unknown-access", "a transfer or access over too many blocks", seq);
}

void add_ranges(ImportState& state, AccessTable table, const Strided& strided, AccessMode mode,
                Memory memory, uint64_t seq, Op* op) {
  const StridedRanges covered = strided_ranges(strided);
  if (memory == Memory::array || !covered.representable) {
    op->unknown = true;
    state.diagnostics.add("unknown-access",
                          memory == Memory::array ? "a copy from or to a CUDA array"
                                                  : "a copy or set beyond the address space",
                          seq);
    return;
  }
  int parts = 0;
  for (const ByteRange& range : covered.ranges)
    add_parts(state, table, transfer_access(range, mode, covered.exact), memory, seq, &parts, op);
}

AccessMode mode_of(Mode mode) {
  switch (mode) {
    case Mode::write:
      return AccessMode::write;
    case Mode::update:
      return AccessMode::update;
    case Mode::atomic:
      return AccessMode::atomic;
    default:
      return AccessMode::read;
  }
}

void add_known(ImportState& state, AccessTable table, const AccessRecord& record, uint64_t seq,
               Op* op) {
  const bool declared = record.source == Source::declared;
  Access whole = transfer_access({record.address, record.address + record.bytes},
                                 mode_of(record.mode), declared);
  whole.source = declared ? AccessSource::declared : AccessSource::observed;
  whole.address = 0;
  whole.early = record.early;
  if (whole.range.end < whole.range.begin) {
    op->unknown = true;
    state.diagnostics.add("unknown-access", "an access beyond the address space", seq);
    return;
  }
  int parts = 0;
  add_parts(state, table, whole, Memory::device, seq, &parts, op);
}

const char* letter(Memory memory) { return is_host(memory) ? "H" : "D"; }

void begin_accesses(ImportState& state, AccessTable table, Op* op) {
  op->access_begin = static_cast<uint32_t>(accesses(state, table).size());
}

void end_accesses(ImportState& state, AccessTable table, Op* op) {
  op->access_count = static_cast<uint32_t>(accesses(state, table).size() - op->access_begin);
}

}  // namespace

bool add_known_accesses(ImportState& state, AccessTable table, const AccessKey& work, uint64_t seq,
                        Op* op) {
  const auto known = state.index.accesses.find(work);
  if (known == state.index.accesses.end()) return false;
  begin_accesses(state, table, op);
  for (const AccessRecord* record : known->second) add_known(state, table, *record, seq, op);
  end_accesses(state, table, op);
  return true;
}

void add_kernel_accesses(ImportState& state, AccessTable table, uint32_t function, ParamForm form,
                         const Bytes& image, uint64_t seq, Op* op) {
  KernelInfo& info = kernel_info(state, function);
  op->label = info.label;
  begin_accesses(state, table, op);
  int64_t stale = 0;
  op->params_unread =
      !state.scanner.scan(&info.layout, form, image, state.memory, &accesses(state, table), &stale);
  end_accesses(state, table, op);
  if (info.layout.known)
    for (const ParamScanner::DoubtedEnd& end : state.scanner.doubted_ends())
      state.doubted_ends.push_back({table.graph, end.access, &info, end.slot});
  if (!state.scanner.all_neighbours())
    state.diagnostics.add("unknown-access",
                          "kernel parameters that point into a long row of mappings", seq);
  if (stale > 0)
    state.diagnostics.add("unknown-allocation",
                          "kernel parameters that point into a segment, but into no block of it",
                          seq);
}

void add_copy_accesses(ImportState& state, AccessTable table, const Transfer& t, uint64_t seq,
                       Op* op) {
  begin_accesses(state, table, op);
  const Strided from{t.src, t.width, t.height, t.depth, t.src_pitch, t.src_slice};
  const Strided to{t.dst, t.width, t.height, t.depth, t.dst_pitch, t.dst_slice};
  add_ranges(state, table, from, AccessMode::read, t.src_memory, seq, op);
  add_ranges(state, table, to, AccessMode::write, t.dst_memory, seq, op);
  end_accesses(state, table, op);
}

void add_set_accesses(ImportState& state, AccessTable table, const Transfer& t, uint64_t seq,
                      Op* op) {
  begin_accesses(state, table, op);
  const Strided to{t.dst, t.width, t.height, t.depth, t.dst_pitch, t.dst_slice};
  add_ranges(state, table, to, AccessMode::write, t.dst_memory, seq, op);
  end_accesses(state, table, op);
}

NameId copy_label(ImportState& state, const Transfer& transfer) {
  return state.tables.name(std::string("memcpy ") + letter(transfer.src_memory) + "2" +
                           letter(transfer.dst_memory));
}

namespace {

template <class Reference>
Access& access_at(ImportState& state, const Reference& reference) {
  return accesses(state, {reference.graph})[reference.access];
}

std::string region_name(MemoryKind memory, size_t number, uint64_t bytes) {
  const bool host = memory == MemoryKind::pageable || memory == MemoryKind::pinned;
  return std::string(host ? "host" : "device") + " memory " + std::to_string(number) + " (" +
         size_text(bytes) + ")";
}

std::vector<ByteRange> known_ranges(const Program& program) {
  std::vector<ByteRange> known;
  for (const Lifetime& lifetime : program.lifetimes)
    for (const Piece& piece : lifetime.pieces) known.push_back(piece.range);
  join_overlapping(&known);
  return known;
}

}  // namespace

void settle_doubted_ends(ImportState& state) {
  for (const DoubtedEnd& end : state.doubted_ends)
    if (end.kernel->layout.slots[end.slot].begins) access_at(state, end).doubt = Doubt::none;
}

void add_unknown_regions(ImportState& state) {
  if (state.unknown_accesses.empty()) return;
  const std::vector<ByteRange> known = known_ranges(state.program);
  std::vector<ByteRange> regions;
  for (const UnknownAccess& unknown : state.unknown_accesses)
    regions.push_back(access_at(state, unknown).range);
  join_overlapping(&regions);
  std::vector<LifetimeId> made(regions.size());
  for (const UnknownAccess& unknown : state.unknown_accesses) {
    Access& access = access_at(state, unknown);
    const auto it =
        std::upper_bound(regions.begin(), regions.end(), ByteRange{access.range.begin, UINT64_MAX});
    const size_t region = static_cast<size_t>(it - regions.begin()) - 1;
    if (!made[region].valid()) {
      made[region] = LifetimeId(state.program.lifetimes.size());
      Lifetime lifetime;
      lifetime.bytes = regions[region].size();
      lifetime.name = region_name(unknown.memory, region + 1, lifetime.bytes);
      lifetime.pieces = {{regions[region], 0}};
      lifetime.memory = unknown.memory;
      lifetime.buffer = true;
      state.program.lifetimes.push_back(std::move(lifetime));
    }
    access.lifetime = made[region];
    access.offset = access.range.begin - regions[region].begin;
    if (any_overlaps(known, regions[region])) access.doubt = Doubt::unknown_extent;
    if (unknown.memory == MemoryKind::device || unknown.memory == MemoryKind::managed)
      state.diagnostics.add("unknown-allocation",
                            "copies or sets of device memory that no allocation is known for",
                            unknown.seq);
  }
}

}  // namespace bohr::trace

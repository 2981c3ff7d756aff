// SPDX-License-Identifier: Apache-2.0
// Lays the lifetimes of a case out in one 64-bit address space.
#include "trace/case_memory.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace bohr::trace::text {

namespace {

constexpr uint64_t kGap = 4096;
constexpr uint64_t kSpaceEnd = uint64_t{1} << 62;

// The pieces of `old` from `offset` on, at most `bytes` of them, with offsets from there. Pieces
// stand in the order of their offsets.
std::vector<Piece> cut(const Lifetime& old, uint64_t offset, uint64_t bytes) {
  std::vector<Piece> pieces;
  const auto ends_before = [](const Piece& piece, uint64_t at) {
    return piece.offset + piece.range.size() <= at;
  };
  auto piece = std::lower_bound(old.pieces.begin(), old.pieces.end(), offset, ends_before);
  for (; piece != old.pieces.end() && piece->offset < offset + bytes; ++piece) {
    const ByteRange own{piece->offset, piece->offset + piece->range.size()};
    const ByteRange part = own.intersection({offset, offset + bytes});
    const uint64_t begin = piece->range.begin + (part.begin - own.begin);
    pieces.push_back({{begin, begin + part.size()}, part.begin - offset});
  }
  return pieces;
}

}  // namespace

Status Memory::take_fresh(uint64_t bytes, int32_t line, ByteRange* range) {
  BOHR_TRY_STATUS(budget_.take(1, line));
  if (bytes > kSpaceEnd - next_) {
    return case_error("case-size", line, "the memory of the case does not fit 62 address bits",
                      "use smaller sizes");
  }
  *range = {next_, next_ + bytes};
  next_ = std::min(kSpaceEnd, (range->end / kGap + 2) * kGap);
  return Nothing{};
}

Status Memory::place(LifetimeId id, int32_t line) {
  Lifetime& lifetime = program_.lifetimes[id.index()];
  ByteRange range;
  BOHR_TRY_STATUS(take_fresh(lifetime.bytes, line, &range));
  lifetime.pieces = {{range, 0}};
  if (!lifetime.buffer) live_.emplace(range.begin, Live{range.end, id});
  return Nothing{};
}

Status Memory::place_over(LifetimeId id, LifetimeId old_id, uint64_t offset, int32_t line) {
  Lifetime& lifetime = program_.lifetimes[id.index()];
  const Lifetime& old = program_.lifetimes[old_id.index()];
  if (offset >= old.bytes) {
    return case_error("case-range", line,
                      "offset " + std::to_string(offset) + " is outside '" + old.name + "' of " +
                          std::to_string(old.bytes) + " bytes",
                      "use an offset below its size, or leave `over` out");
  }
  lifetime.pieces = cut(old, offset, lifetime.bytes);
  BOHR_TRY_STATUS(budget_.take(lifetime.pieces.size(), line));
  BOHR_TRY_STATUS(check_unused(lifetime, line));
  const uint64_t reused = std::min(lifetime.bytes, old.bytes - offset);
  if (reused < lifetime.bytes) {
    ByteRange tail;
    BOHR_TRY_STATUS(take_fresh(lifetime.bytes - reused, line, &tail));
    lifetime.pieces.push_back({tail, reused});
  }
  for (const Piece& piece : lifetime.pieces) {
    live_.emplace(piece.range.begin, Live{piece.range.end, id});
  }
  return Nothing{};
}

Status Memory::check_unused(const Lifetime& lifetime, int32_t line) const {
  for (const Piece& piece : lifetime.pieces) {
    auto next = live_.lower_bound(piece.range.end);
    if (next == live_.begin()) continue;
    const auto before = std::prev(next);
    if (before->second.end <= piece.range.begin) continue;
    const std::string& owner = program_.lifetimes[before->second.lifetime.index()].name;
    return case_error("case-reuse", line,
                      "'" + lifetime.name + "' overlaps '" + owner + "', which is not freed",
                      "free it on an earlier line, or choose bytes that are free");
  }
  return Nothing{};
}

void Memory::free(LifetimeId id) {
  for (const Piece& piece : program_.lifetimes[id.index()].pieces) {
    live_.erase(piece.range.begin);
  }
}

Result<Part> Memory::resolve(const RangeRef& range, int32_t line) const {
  const Named* named = names_.find(range.name);
  if (named == nullptr) return unknown_name(range.name, "a buffer, an allocation or a view", line);
  Part base;
  if (named->kind == NameKind::lifetime) {
    base.lifetime = LifetimeId(named->index);
    base.end = program_.lifetimes[base.lifetime.index()].bytes;
  } else if (named->kind == NameKind::view) {
    const View& view = program_.views[static_cast<size_t>(named->index)];
    base = {view.lifetime, view.begin, view.end};
  } else {
    return case_error(
        "case-unknown-name", line,
        "'" + std::string(range.name) + "' is " + kind_phrase(named->kind) + ", not memory",
        "name a buffer, an allocation or a view");
  }
  if (range.whole) return base;
  if (range.begin >= range.end || range.end > base.end - base.begin) {
    return case_error("case-range", line,
                      "[" + std::to_string(range.begin) + ":" + std::to_string(range.end) +
                          "] is no part of '" + std::string(range.name) + "' of " +
                          std::to_string(base.end - base.begin) + " bytes",
                      "a range is half open, not empty, and within the size");
  }
  return Part{base.lifetime, base.begin + range.begin, base.begin + range.end};
}

Status Memory::add_accesses(const Part& part, AccessMode mode, bool early, int32_t line,
                            std::vector<Access>* accesses) {
  const Lifetime& lifetime = program_.lifetimes[part.lifetime.index()];
  const std::vector<Piece> pieces = cut(lifetime, part.begin, part.end - part.begin);
  BOHR_TRY_STATUS(budget_.take(pieces.size(), line));
  for (const Piece& piece : pieces) {
    Access access;
    access.range = piece.range;
    access.offset = part.begin + piece.offset;
    access.lifetime = part.lifetime;
    access.mode = mode;
    access.early = early;
    accesses->push_back(access);
  }
  return Nothing{};
}

}  // namespace bohr::trace::text

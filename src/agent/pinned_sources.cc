// SPDX-License-Identifier: Apache-2.0
#include "agent/pinned_sources.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "agent/digest.h"

namespace bohr::agent {
namespace {

constexpr uint64_t kMaxCallBytes = 1 << 20;    // digested when one call is issued
constexpr uint64_t kMaxSourceBytes = 8 << 20;  // of all sources
constexpr size_t kMaxSources = 64;
constexpr size_t kPiece = 64 << 10;

using Range = std::map<uint64_t, PinnedRange>::iterator;

// The watched range that holds `address`.
Range range_of(PinnedSources& pinned, uint64_t address) {
  auto next = pinned.ranges.upper_bound(address);
  if (next == pinned.ranges.begin()) return pinned.ranges.end();
  const Range found = std::prev(next);
  return address < found->second.end ? found : pinned.ranges.end();
}

bool watched(PinnedSources& pinned, PinnedSpan span) {
  const Range range = range_of(pinned, span.begin);
  return range != pinned.ranges.end() && span.begin < span.end && span.end <= range->second.end;
}

std::optional<uint64_t> digest_through_kernel(PinnedSources& pinned, PinnedSpan span) {
  pinned.buffer.resize(kPiece);
  Digest digest;
  for (uint64_t at = span.begin; at < span.end;) {
    const size_t size = std::min<uint64_t>(kPiece, span.end - at);
    const iovec to{pinned.buffer.data(), size};
    const iovec from{reinterpret_cast<void*>(at), size};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(size)) return {};
    digest.add(pinned.buffer.data(), size);
    at += size;
  }
  return digest.value();
}

// Nothing where the memory is not there.
std::optional<uint64_t> digest_of(PinnedSources& pinned, PinnedSpan span) {
  if (!watched(pinned, span)) return {};
  if (range_of(pinned, span.begin)->second.registered) return digest_through_kernel(pinned, span);
  Digest digest;
  digest.add(reinterpret_cast<const void*>(span.begin), span.end - span.begin);
  return digest.value();
}

void publish_counts(PinnedSources& pinned) {
  pinned.range_count.store(static_cast<uint32_t>(pinned.ranges.size()));
  pinned.source_count.store(static_cast<uint32_t>(pinned.sources.size()));
}

Range forget_range(PinnedSources& pinned, Range range) {
  const PinnedSpan all{range->first, range->second.end};
  const Range next = pinned.ranges.erase(range);
  forget_sources(pinned, [all](const PinnedSource& s) { return overlap(s.span, all); });
  return next;
}

// A later copy of the same bytes on the same stream stands for the earlier one: it is done later.
std::optional<uint64_t> take_earlier(PinnedSources& pinned, PinnedSpan span, uint32_t stream) {
  std::optional<uint64_t> digest;
  forget_sources(pinned, [&](const PinnedSource& source) {
    const bool same = source.span.begin == span.begin && source.span.end == span.end &&
                      source.streams.front().first == stream;
    if (same) digest = source.digest;
    return same;
  });
  return digest;
}

// Gives up the oldest to stay in bounds.
void make_room(PinnedSources& pinned, uint64_t bytes) {
  auto& sources = pinned.sources;
  size_t count = 0;
  while (count < sources.size() &&
         (sources.size() - count >= kMaxSources || pinned.source_bytes + bytes > kMaxSourceBytes)) {
    pinned.source_bytes -= sources[count].span.end - sources[count].span.begin;
    ++count;
  }
  sources.erase(sources.begin(), sources.begin() + static_cast<ptrdiff_t>(count));
  pinned.dropped += count;
}

void add_source(PinnedSources& pinned, PinnedSpan span, uint32_t stream, uint64_t seq) {
  std::optional<uint64_t> digest = take_earlier(pinned, span, stream);
  if (!digest) digest = digest_of(pinned, span);
  if (!digest) return;
  make_room(pinned, span.end - span.begin);
  pinned.source_bytes += span.end - span.begin;
  pinned.sources.push_back({span, *digest, seq, {{stream, seq}}});
}

}  // namespace

bool follows(const PinnedSource& source, uint32_t stream, uint64_t seq) {
  return std::any_of(source.streams.begin(), source.streams.end(),
                     [&](const auto& s) { return s.first == stream && s.second < seq; });
}

void watch_range(PinnedSources& pinned, PinnedSpan span, bool registered) {
  if (pinned.off || span.end <= span.begin) return;
  forget_ranges(pinned, span);  // that went without a call that is seen
  pinned.ranges[span.begin] = {span.end, registered};
  pinned.lowest.store(std::min(pinned.lowest.load(), span.begin));
  pinned.highest.store(std::max(pinned.highest.load(), span.end));
  publish_counts(pinned);
}

void forget_range_at(PinnedSources& pinned, uint64_t address) {
  const Range range = pinned.ranges.find(address);
  if (range != pinned.ranges.end()) forget_range(pinned, range);
}

void forget_ranges(PinnedSources& pinned, PinnedSpan span) {
  Range at = range_of(pinned, span.begin);
  if (at == pinned.ranges.end()) at = pinned.ranges.lower_bound(span.begin);
  while (at != pinned.ranges.end() && at->first < span.end) at = forget_range(pinned, at);
}

void forget_all(PinnedSources& pinned) {
  pinned.ranges.clear();
  forget_sources(pinned, [](const PinnedSource&) { return true; });
}

void forget_sources(PinnedSources& pinned, const PickSource& unwanted) {
  std::erase_if(pinned.sources, [&](const PinnedSource& source) {
    if (!unwanted(source)) return false;
    pinned.source_bytes -= source.span.end - source.span.begin;
    return true;
  });
  publish_counts(pinned);
}

std::vector<PinnedSpan> take_changed(PinnedSources& pinned, const PickSource& wanted) {
  std::vector<PinnedSpan> changed;
  forget_sources(pinned, [&](const PinnedSource& source) {
    if (!wanted(source)) return false;
    const std::optional<uint64_t> digest = digest_of(pinned, source.span);
    if (digest && *digest == source.digest) return false;
    if (digest) changed.push_back(source.span);
    return true;
  });
  return changed;
}

void add_sources(PinnedSources& pinned, const std::vector<PinnedSpan>& spans, uint32_t stream,
                 uint64_t seq) {
  uint64_t left = kMaxCallBytes;
  for (PinnedSpan span : spans) {
    if (!watched(pinned, span)) continue;
    const uint64_t end = std::min(span.end, span.begin + left);
    pinned.cut += end < span.end ? 1 : 0;
    if (end == span.begin) continue;
    left -= end - span.begin;
    add_source(pinned, {span.begin, end}, stream, seq);
  }
  publish_counts(pinned);
}

}  // namespace bohr::agent

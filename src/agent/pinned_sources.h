// SPDX-License-Identifier: Apache-2.0
// Pinned memory that is watched, and the sources of copies in it with their digests.
//
// Memory is only read while it is known to be there: the lock is held while digesting, and a free
// waits for it before the driver takes the memory back. Registered memory belongs to the guest,
// which may have unmapped it all the same, so it is read through the kernel, which refuses instead.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace bohr::agent {

struct PinnedSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct PinnedRange {
  uint64_t end = 0;
  bool registered = false;
};

// `streams`: the copy is done when what they were given up to a sequence number is: its own, and
// those that waited for an event behind it.
struct PinnedSource {
  PinnedSpan span;
  uint64_t digest = 0;
  uint64_t seq = 0;
  std::vector<std::pair<uint32_t, uint64_t>> streams;
};

struct PinnedSources {
  // To be read without the lock: whether there is memory to watch, and sources to look at; where it
  // lies.
  std::atomic<uint32_t> range_count{0};
  std::atomic<uint32_t> source_count{0};
  std::atomic<uint64_t> lowest{~uint64_t{0}};
  std::atomic<uint64_t> highest{0};

  std::mutex mutex;  // never taken while another lock of ours is held, nor the other way round
  std::map<uint64_t, PinnedRange> ranges;  // that are watched, by first byte
  std::vector<PinnedSource> sources;       // oldest first
  uint64_t source_bytes = 0;
  uint64_t cut = 0;      // sources of which only the first bytes were digested, or none
  uint64_t dropped = 0;  // sources that were given up for newer ones
  bool off = false;
  std::vector<unsigned char> buffer;
};

using PickSource = std::function<bool(const PinnedSource&)>;

inline bool overlap(PinnedSpan a, PinnedSpan b) { return a.begin < b.end && b.begin < a.end; }

// Whether the copy is done when `stream` is done with what it was given ahead of `seq`.
bool follows(const PinnedSource& source, uint32_t stream, uint64_t seq);

// Under the lock, all of them.
void watch_range(PinnedSources& pinned, PinnedSpan span, bool registered);
void forget_range_at(PinnedSources& pinned, uint64_t address);  // its first byte
void forget_ranges(PinnedSources& pinned, PinnedSpan span);     // that overlap it
void forget_all(PinnedSources& pinned);
void forget_sources(PinnedSources& pinned, const PickSource& unwanted);
// Digests again what is wanted, and forgets and returns what changed.
std::vector<PinnedSpan> take_changed(PinnedSources& pinned, const PickSource& wanted);
// The first bytes of `spans`, as many as one call may have; those that are watched.
void add_sources(PinnedSources& pinned, const std::vector<PinnedSpan>& spans, uint32_t stream,
                 uint64_t seq);

}  // namespace bohr::agent

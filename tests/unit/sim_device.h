// SPDX-License-Identifier: Apache-2.0
// A device for tests of the caching allocator: segments up to a limit, and streams whose work is
// done at once unless they are held. Keeps what the allocator did as lines of text.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gpu/sim/caching_allocator.h"

namespace bohr::gpu::sim {

constexpr uint64_t kMiB = 1 << 20;

struct TestDevice {
  uint64_t limit = ~uint64_t{0};
  std::vector<uint64_t> addresses;  // of the next segments, last first; else one behind the other
  uint64_t next_address = 64 * kMiB;
  std::map<uint64_t, uint64_t> segments;  // address → bytes
  std::map<EventToken, StreamId> events;
  std::set<EventToken> pending;  // recorded while their stream was held
  std::set<StreamId> held;
  std::vector<HistoryEntry> entries;

  uint64_t reserved() const {
    uint64_t sum = 0;
    for (const auto& [address, bytes] : segments) sum += bytes;
    return sum;
  }
  void hold(StreamId stream) { held.insert(stream); }
  void release() { held.clear(), pending.clear(); }
  void release(StreamId stream) {
    held.erase(stream);
    std::erase_if(pending, [&](EventToken token) { return events.at(token) == stream; });
  }

  std::optional<uint64_t> segment_alloc(uint64_t bytes) {
    if (reserved() + bytes > limit) return std::nullopt;
    uint64_t address = next_address;
    if (addresses.empty()) {
      next_address += bytes;
    } else {
      address = addresses.back();
      addresses.pop_back();
    }
    segments[address] = bytes;
    return address;
  }
  EventToken record(StreamId stream) {
    const EventToken token(events.size());
    events[token] = stream;
    if (held.count(stream)) pending.insert(token);
    return token;
  }
  AllocatorDriver driver() {
    AllocatorDriver driver;
    driver.segment_alloc = [this](uint64_t bytes) { return segment_alloc(bytes); };
    driver.segment_free = [this](uint64_t address) {
      segments.erase(address);
      release();  // the driver waits for the device
    };
    driver.record = [this](StreamId stream) { return record(stream); };
    driver.done = [this](EventToken token) { return pending.count(token) == 0; };
    driver.wait = [this](EventToken token) {
      if (pending.count(token)) release(events.at(token));
    };
    driver.note = [this](const HistoryEntry& entry) { entries.push_back(entry); };
    return driver;
  }

  // "alloc ADDRESS BYTES STREAM" and so on, since the last call.
  std::vector<std::string> lines() {
    static const std::map<trace::HistoryAction, std::string> kNames = {
        {trace::HistoryAction::alloc, "alloc"},
        {trace::HistoryAction::free_requested, "free_requested"},
        {trace::HistoryAction::free_completed, "free_completed"},
        {trace::HistoryAction::segment_alloc, "segment_alloc"},
        {trace::HistoryAction::segment_free, "segment_free"}};
    std::vector<std::string> lines;
    for (const HistoryEntry& e : entries) {
      lines.push_back(
          fmt::format("{} {:x} {} {}", kNames.at(e.action), e.address, e.bytes, e.stream.value()));
    }
    entries.clear();
    return lines;
  }
};

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/caching_allocator.h"

#include <algorithm>
#include <iterator>

#include "base/hash.h"

namespace bohr::gpu::sim {

namespace {

using trace::HistoryAction;

Error out_of_memory(uint64_t bytes) {
  return Error{"out-of-memory", "allocation of " + std::to_string(bytes) + " bytes", "",
               "the simulated device has no memory left",
               "allocate less, or give the device more memory"};
}

Error not_live(const char* call, uint64_t address) {
  return Error{"block-not-live", call, "0x" + hex(address, 12), "no live block begins there",
               "name a block by the address that alloc gave, before its free"};
}

}  // namespace

Result<Allocation> CachingAllocator::alloc(uint64_t bytes, StreamId stream) {
  BOHR_CHECK(bytes > 0 && stream.valid());
  // Events must not be asked while a capture is underway.
  if (captures_.empty()) complete_done_frees();
  if (bytes > kLargestRequest) return out_of_memory(bytes);
  const uint64_t size = block_bytes(bytes);
  const FreeList list = list_for(size, stream);
  std::optional<uint64_t> address = memory_.best_fit(list, size);
  if (!address) address = new_segment(list, size);
  if (!address && captures_.empty()) {
    release_cache();
    // Blocks that became free just now are not looked at again: only segments are.
    address = new_segment(list, size);
  }
  if (!address) return out_of_memory(bytes);
  memory_.hand_out(*address, size, bytes);
  note(HistoryAction::alloc, *address);
  return Allocation{*address, list.pool};
}

Status CachingAllocator::free(uint64_t address) {
  if (memory_.live(address) == nullptr) return not_live("free", address);
  note(HistoryAction::free_requested, address);
  memory_.wait(address);
  if (uses_.count(address) == 0) {
    complete_free(address);
  } else if (captures_.empty()) {
    record_events(address);
  } else {
    captured_frees_.push_back(address);
  }
  return Nothing{};
}

Status CachingAllocator::record_stream(uint64_t address, StreamId stream) {
  const PoolBlock* block = memory_.live(address);
  if (block == nullptr) return not_live("record_stream", address);
  if (memory_.list_of(*block).stream == stream) return Nothing{};
  bool& captured = uses_[address].streams[stream];
  captured = captured || !captures_.empty();
  return Nothing{};
}

Status CachingAllocator::empty_cache() {
  if (!captures_.empty()) {
    return Error{"capture-underway", "empty_cache", "",
                 "it waits for events, which no capture allows",
                 "empty the cache before the capture begins"};
  }
  release_cache();
  return Nothing{};
}

Status CachingAllocator::begin_capture(PoolId pool, std::function<bool(StreamId)> captures) {
  BOHR_CHECK(pool.valid());
  const std::string name = "pool " + std::to_string(pool.value());
  const auto same = [&](const Capture& other) { return other.pool == pool; };
  if (std::any_of(captures_.begin(), captures_.end(), same)) {
    return Error{"capture-pool", "begin_capture", name, "another capture is filling this pool",
                 "end that capture first, or take another pool"};
  }
  const auto known = graphs_.find(pool);
  if (known != graphs_.end() && known->second == 0) {
    return Error{"capture-pool", "begin_capture", name, "its last graph is gone",
                 "keep a graph of the pool, or take a new pool"};
  }
  ++graphs_[pool];
  captures_.push_back({pool, std::move(captures)});
  return Nothing{};
}

void CachingAllocator::end_capture(PoolId pool) {
  const auto ended = std::find_if(captures_.begin(), captures_.end(),
                                  [&](const Capture& capture) { return capture.pool == pool; });
  BOHR_CHECK(ended != captures_.end());
  captures_.erase(ended);
}

void CachingAllocator::drop_graph(PoolId pool) {
  const auto known = graphs_.find(pool);
  BOHR_CHECK(known != graphs_.end() && known->second > 0);
  --known->second;
}

FreeList CachingAllocator::list_for(uint64_t bytes, StreamId stream) const {
  for (const Capture& capture : captures_) {
    if (capture.captures(stream)) return {capture.pool, segment_kind(bytes), stream};
  }
  return {PoolId(), segment_kind(bytes), stream};
}

std::optional<uint64_t> CachingAllocator::new_segment(const FreeList& list, uint64_t bytes) {
  const uint64_t size = segment_bytes(bytes);
  const std::optional<uint64_t> address = driver_.segment_alloc(size);
  if (!address) return std::nullopt;
  memory_.add({*address, size, list});
  driver_.note({HistoryAction::segment_alloc, *address, size, list.stream, list.pool});
  return address;
}

void CachingAllocator::release_cache() {
  complete_all_frees();
  release_unused(PoolId(), SegmentKind::large);
  release_unused(PoolId(), SegmentKind::small);
  for (auto at = graphs_.begin(); at != graphs_.end();) {
    const auto [pool, held] = *at;
    if (held == 0) {
      release_unused(pool, SegmentKind::small);
      release_unused(pool, SegmentKind::large);
    }
    at = held == 0 && !memory_.has_segments(pool) ? graphs_.erase(at) : std::next(at);
  }
}

void CachingAllocator::release_unused(PoolId pool, SegmentKind kind) {
  for (const Segment& segment : memory_.unused(pool, kind)) {
    driver_.note({HistoryAction::segment_free, segment.address, segment.bytes, segment.list.stream,
                  segment.list.pool});
    memory_.remove(segment.address);
    driver_.segment_free(segment.address);
  }
}

void CachingAllocator::complete_done_frees() {
  resume_captured_frees();
  // Events of one stream are done in order, so the first that is not ends the stream's queue.
  for (auto at = events_.begin(); at != events_.end();) {
    auto& queue = at->second;
    while (!queue.empty() && driver_.done(queue.front().first)) {
      count_event(queue.front().second);
      queue.pop_front();
    }
    at = queue.empty() ? events_.erase(at) : std::next(at);
  }
}

void CachingAllocator::complete_all_frees() {
  resume_captured_frees();
  for (const auto& [stream, queue] : events_) {
    for (const auto& [token, address] : queue) {
      driver_.wait(token);
      count_event(address);
    }
  }
  events_.clear();
}

void CachingAllocator::resume_captured_frees() {
  for (const uint64_t address : captured_frees_) {
    auto& streams = uses_.at(address).streams;
    for (auto at = streams.begin(); at != streams.end();) {
      at = at->second ? streams.erase(at) : std::next(at);
    }
    if (streams.empty()) {
      complete_free(address);
    } else {
      record_events(address);
    }
  }
  captured_frees_.clear();
}

void CachingAllocator::record_events(uint64_t address) {
  Uses& uses = uses_.at(address);
  for (const auto& [stream, captured] : uses.streams) {
    events_[stream].emplace_back(driver_.record(stream), address);
    ++uses.events;
  }
}

void CachingAllocator::count_event(uint64_t address) {
  if (--uses_.at(address).events == 0) complete_free(address);
}

void CachingAllocator::complete_free(uint64_t address) {
  note(HistoryAction::free_completed, address);
  uses_.erase(address);
  memory_.put_back(address);
}

void CachingAllocator::note(HistoryAction action, uint64_t address) {
  const PoolBlock& block = memory_.block(address);
  const FreeList& list = memory_.list_of(block);
  driver_.note({action, address, block.requested, list.stream, list.pool});
}

}  // namespace bohr::gpu::sim

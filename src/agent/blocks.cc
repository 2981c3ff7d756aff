// SPDX-License-Identifier: Apache-2.0
#include "agent/blocks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/recorder.h"

namespace bohr::agent {
namespace {

// With the mutex held, as all below.
template <class R>
void write(Recorder& r, bool kept, const R& record) {
  if (kept)
    r.log->append(record);
  else if (!r.recent->append(record))
    r.blocks.refused = true;
}

void write_entry(Recorder& r, bool kept, const trace::History& entry, uint64_t seq) {
  write(r, kept, entry);
  write(r, kept, trace::EntryCall{entry.index, seq});
}

bool captures(const Recorder& r) { return r.captures_active.load(std::memory_order_relaxed) > 0; }

// The callback that an entry tells of. None where the two do not tell the same story.
std::optional<UntoldCallback> take_callback(Blocks& blocks, const trace::History& entry) {
  const auto found = blocks.untold.find(entry.address);
  if (found == blocks.untold.end()) return {};
  UntoldCallbacks& callbacks = found->second;
  const bool hands_out = entry.action == trace::HistoryAction::alloc;
  if (hands_out && callbacks.list.front().waited && callbacks.next == 0 &&
      callbacks.list.size() > 1)
    ++callbacks.next;  // it was waited for in vain
  const UntoldCallback first = callbacks.list[callbacks.next];
  const bool same = first.alloc == hands_out;
  if (!same || ++callbacks.next == callbacks.list.size()) blocks.untold.erase(found);
  return same ? std::optional(first) : std::nullopt;
}

// Of what the history did not tell only the end of the newest block, if it was not waited for yet,
// and what came since. False: that is nothing.
bool waits_for_entries(UntoldCallbacks* callbacks, uint64_t since) {
  std::vector<UntoldCallback>& list = callbacks->list;
  const auto told = list.begin() + static_cast<ptrdiff_t>(callbacks->next);
  const auto later = std::find_if(
      told, list.end(), [&](const UntoldCallback& callback) { return callback.seq >= since; });
  const bool ends = later != told && !std::prev(later)->alloc && !std::prev(later)->waited;
  if (ends) std::prev(later)->waited = true;
  list.erase(list.begin(), ends ? std::prev(later) : later);
  callbacks->next = 0;
  return !list.empty();
}

// The entry of a hand-out without a callback: its bytes are doubtful.
void leave_out(Recorder& r, trace::History entry) {
  entry.action = trace::HistoryAction::other;
  r.log->append(entry);
}

// The entry of a hand-out that no callback came for.
void leave_out_early(Recorder& r, uint64_t address) {
  const auto early = r.blocks.early.find(address);
  if (early == r.blocks.early.end()) return;
  leave_out(r, early->second.entry);
  r.blocks.early.erase(early);
}

void tell_alloc(Recorder& r, const trace::History& entry) {
  if (!r.blocks.untold.contains(entry.address)) {
    leave_out_early(r, entry.address);
    r.blocks.early[entry.address] = {entry};
    return;
  }
  const std::optional<UntoldCallback> callback = take_callback(r.blocks, entry);
  if (!callback) return leave_out(r, entry);
  bool kept = callback->kept;
  const auto live = r.blocks.live.find(entry.address);
  if (live != r.blocks.live.end() && live->second.alloc.call.seq == callback->seq) {
    live->second.entry = entry;
    kept = live->second.kept;
  }
  write_entry(r, kept, entry, callback->seq);
}

// A block that was handed out before anybody listened is taken back without a callback, and so is
// one whose hand-out had none.
void tell_free(Recorder& r, const trace::History& entry) {
  const std::optional<UntoldCallback> callback = take_callback(r.blocks, entry);
  if (!callback) return leave_out_early(r, entry.address);
  r.blocks.ending[entry.address] = callback->kept;
  write_entry(r, callback->kept, entry, callback->seq);
}

void tell_completed(Recorder& r, const trace::History& entry) {
  const auto found = r.blocks.ending.find(entry.address);
  const bool kept = found != r.blocks.ending.end() && found->second;
  if (found != r.blocks.ending.end()) r.blocks.ending.erase(found);
  write(r, kept, entry);
}

void keep(Recorder& r, LiveBlock& block) {
  block.kept = true;
  r.log->append(block.alloc);
  if (block.entry) {
    write_entry(r, true, *block.entry, block.alloc.call.seq);
    return;
  }
  const auto untold = r.blocks.untold.find(block.alloc.address);
  if (untold != r.blocks.untold.end()) untold->second.list.back().kept = true;
}

void keep_live(Recorder& r) {
  r.blocks.turn.store(r.recent->turns(), std::memory_order_relaxed);
  for (auto& [address, block] : r.blocks.live)
    if (!block.kept) keep(r, block);
  for (auto& [address, memory] : r.blocks.pooled)
    if (!std::exchange(memory.kept, true)) r.log->append(memory.alloc);
}

// Where everything is recorded the record goes to the log; else `place`, with the mutex held, says
// where. Its appends to the recent work may have begun a new file of it, or found no room. That
// ends the recording, without the mutex, because what the recorder still has is logged then.
template <class R, class Place>
void log_one(Recorder& r, const R& record, Place&& place) {
  if (!r.recent) {
    r.log->append(record);
    return;
  }
  bool refused = false;
  {
    std::lock_guard lock(r.blocks.mutex);
    place();
    refused = r.blocks.refused;
    if (!refused && r.recent->turns() != r.blocks.turn.load(std::memory_order_relaxed))
      keep_live(r);
  }
  if (refused) stop_without_room(r);
}

}  // namespace

void block_allocated(Recorder& r, const trace::BlockAlloc& record) {
  log_one(r, record, [&] {
    const bool kept = captures(r);
    LiveBlock& block = r.blocks.live[record.address] = {record, {}, kept};
    write(r, kept, record);
    const auto early = r.blocks.early.find(record.address);
    if (early == r.blocks.early.end()) {
      r.blocks.untold[record.address].list.push_back({record.call.seq, true, kept});
      return;
    }
    block.entry = early->second.entry;
    r.blocks.early.erase(early);
    write_entry(r, kept, *block.entry, record.call.seq);
  });
}

void block_freed(Recorder& r, const trace::BlockFree& record) {
  log_one(r, record, [&] {
    const auto live = r.blocks.live.find(record.address);
    const bool kept = live != r.blocks.live.end() && live->second.kept;
    if (live != r.blocks.live.end()) r.blocks.live.erase(live);
    leave_out_early(r, record.address);
    r.blocks.untold[record.address].list.push_back({record.call.seq, false, kept});
    write(r, kept, record);
  });
}

void pooled_allocated(Recorder& r, const trace::MemAlloc& record) {
  log_one(r, record, [&] {
    const bool kept = captures(r);
    r.blocks.pooled[record.address] = {record, kept};
    write(r, kept, record);
  });
}

void pooled_freed(Recorder& r, const trace::MemFree& record) {
  log_one(r, record, [&] {
    const auto live = r.blocks.pooled.find(record.address);
    const bool kept = live == r.blocks.pooled.end() || live->second.kept;
    if (live != r.blocks.pooled.end()) r.blocks.pooled.erase(live);
    write(r, kept, record);
  });
}

void block_told(Recorder& r, const trace::History& entry) {
  log_one(r, entry, [&] {
    switch (entry.action) {
      case trace::HistoryAction::alloc:
        return tell_alloc(r, entry);
      case trace::HistoryAction::free_requested:
        return tell_free(r, entry);
      case trace::HistoryAction::free_completed:
        return tell_completed(r, entry);
      default:
        r.log->append(entry);
    }
  });
}

void history_read(Recorder& r, uint64_t since) {
  std::lock_guard lock(r.blocks.mutex);
  for (auto of = r.blocks.untold.begin(); of != r.blocks.untold.end();)
    of = waits_for_entries(&of->second, since) ? std::next(of) : r.blocks.untold.erase(of);
  for (auto of = r.blocks.early.begin(); of != r.blocks.early.end();) {
    const bool waited = std::exchange(of->second.waited, true);
    if (waited) leave_out(r, of->second.entry);
    of = waited ? r.blocks.early.erase(of) : std::next(of);
  }
}

void blocks_end(Recorder& r) {
  std::lock_guard lock(r.blocks.mutex);
  for (const auto& [address, early] : r.blocks.early) leave_out(r, early.entry);
  r.blocks.early.clear();
}

void keep_live_blocks(Recorder& r) {
  if (!r.recent) return;
  std::lock_guard lock(r.blocks.mutex);
  keep_live(r);
}

}  // namespace bohr::agent

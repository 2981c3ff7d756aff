// SPDX-License-Identifier: Apache-2.0
// Per address, the callbacks (alloc, free, alloc, …) and the entries of the history (alloc,
// free_requested, alloc, …) must tell the same story; then the k-th of one is the k-th of the
// other. A history that stops early describes what it describes. Anything else makes the address
// unplaced: a diagnostic, and its blocks are left out rather than guessed. Where the recorder says
// which entry is of which callback, it did so because not all of them are kept: what is missing was
// dropped with what was older.
//
// A free takes effect when it is completed. The allocator completes it at once unless another
// stream was named to it (record_stream); then the completion stands in the history alone, and its
// place is just before the next entry whose callback is known, because the allocator completes such
// frees when it is next asked for memory.
#include "trace/import_history.h"

#include <algorithm>

namespace bohr::trace {

namespace {

constexpr size_t kEntriesBetween = 64;

// A callback or an entry that begins or ends a hand-out.
struct Event {
  uint64_t address = 0;
  uint64_t order = 0;  // callbacks: sequence number; entries: place in the sorted history
  bool alloc = false;
  const BlockAlloc* alloc_call = nullptr;
  const BlockFree* free_call = nullptr;
};

bool by_address(const Event& a, const Event& b) {
  return a.address != b.address ? a.address < b.address : a.order < b.order;
}

std::vector<Event> callbacks(const LogIndex& index) {
  std::vector<Event> events;
  events.reserve(index.block_allocs.size() + index.block_frees.size());
  for (const BlockAlloc* r : index.block_allocs)
    events.push_back({r->address, r->call.seq, true, r, nullptr});
  for (const BlockFree* r : index.block_frees)
    events.push_back({r->address, r->call.seq, false, nullptr, r});
  std::stable_sort(events.begin(), events.end(), by_address);
  return events;
}

std::vector<Event> entries(const LogIndex& index) {
  std::vector<Event> events;
  for (size_t i = 0; i < index.history.size(); ++i) {
    const HistoryAction action = index.history[i]->action;
    if (action == HistoryAction::alloc || action == HistoryAction::free_requested)
      events.push_back({index.history[i]->address, i, action == HistoryAction::alloc});
  }
  std::stable_sort(events.begin(), events.end(), by_address);
  return events;
}

using Iterator = std::vector<Event>::const_iterator;

Iterator same_address_end(Iterator from, Iterator end) {
  return std::find_if(from, end, [&](const Event& e) { return e.address != from->address; });
}

class Matcher {
 public:
  Matcher(const LogIndex& index, Diagnostics* diagnostics)
      : index_(index),
        history_(index.history),
        diagnostics_(diagnostics),
        place_(index.history.size()) {
    for (size_t i = 0; i < history_.size(); ++i)
      if (history_[i]->action == HistoryAction::free_completed)
        completions_.push_back({history_[i]->address, i});
    std::stable_sort(completions_.begin(), completions_.end(), by_address);
  }

  BlockLives match(const std::vector<Event>& calls, const std::vector<Event>& told) {
    Iterator entry = told.begin();
    for (Iterator call = calls.begin(); call != calls.end();) {
      const Iterator calls_end = same_address_end(call, calls.end());
      while (entry != told.end() && entry->address < call->address) entry = skip(entry, told.end());
      const bool same = entry != told.end() && entry->address == call->address;
      const Iterator told_end = same ? same_address_end(entry, told.end()) : entry;
      match_address(call, calls_end, entry, told_end);
      call = calls_end;
      entry = told_end;
    }
    while (entry != told.end()) entry = skip(entry, told.end());
    leave_out_open();
    place_frees();
    std::sort(
        result_.lives.begin(), result_.lives.end(), [](const BlockLife& a, const BlockLife& b) {
          return a.alloc->call.seq != b.alloc->call.seq ? a.alloc->call.seq < b.alloc->call.seq
                                                        : a.alloc->address < b.alloc->address;
        });
    return std::move(result_);
  }

 private:
  struct Placed {
    uint64_t seq = 0;  // 0: not known
    uint32_t thread = 0;
  };
  struct PendingFree {
    size_t life;
    size_t requested;  // places in the history
    size_t completed;
  };

  // Entries of an address for which no callback came.
  Iterator skip(Iterator from, Iterator end) {
    const Iterator stop = same_address_end(from, end);
    Iterator first = from;
    while (first != stop && !first->alloc) ++first;
    if (first != stop && !(index_.older_dropped && callback_of(*first) != 0))
      leave_out(first, stop, 0, "history entries without a callback");
    return stop;
  }

  void leave_out(Iterator from, Iterator end, uint64_t seq, const char* text) {
    uint64_t bytes = 0;
    uint64_t address = 0;
    for (; from != end; ++from) {
      bytes = std::max(bytes, history_[from->order]->bytes);
      address = from->address;
    }
    if (bytes != 0 && address + bytes > address)
      result_.unplaced.push_back({address, address + bytes});
    diagnostics_->add("allocator-order-unknown", text, seq);
  }

  // Blocks that somebody else could not place among the calls.
  void leave_out_open() {
    for (const History* entry : history_) {
      const ByteRange range{entry->address, entry->address + entry->bytes};
      if (entry->action != HistoryAction::other || entry->address == 0 || range.empty()) continue;
      result_.unplaced.push_back(range);
      diagnostics_->add("allocator-order-unknown", "blocks whose place among the calls is open", 0);
    }
  }

  // Of an entry, as the recorder says; 0: it says nothing.
  uint64_t callback_of(const Event& entry) const {
    const auto found = index_.entry_calls.find(history_[entry.order]->index);
    return found == index_.entry_calls.end() ? 0 : found->second;
  }

  void match_address(Iterator call, Iterator calls_end, Iterator entry, Iterator told_end) {
    if (entry != told_end && callback_of(*entry) != 0)
      return match_said(call, calls_end, entry, told_end);
    // Frees of blocks that were handed out before anybody listened.
    while (call != calls_end && !call->alloc) ++call;
    while (entry != told_end && !entry->alloc) ++entry;
    if (call == calls_end && entry == told_end) return;
    if (!starts_with(call, calls_end, entry, told_end)) {
      leave_out(entry, told_end, call == calls_end ? 0 : call->order,
                "allocator callbacks and history disagree on an address");
      return;
    }
    for (; entry != told_end; ++entry, ++call)
      if (entry->alloc)
        add_life(*call, entry->order);
      else
        add_free(*call, entry->order);
    undescribed(call, calls_end);
  }

  void match_said(Iterator call, Iterator calls_end, Iterator entry, Iterator told_end) {
    bool open = false;  // the newest life of the address has no end yet
    for (; entry != told_end; ++entry) {
      const uint64_t seq = callback_of(*entry);
      Iterator from = call;
      while (call != calls_end && call->order < seq) ++call;
      undescribed(from, call);
      if (call == calls_end || call->order != seq || call->alloc != entry->alloc) {
        open = open && !entry->alloc;
        if (!index_.older_dropped)
          diagnostics_->add("allocator-order-unknown", "a history entry whose callback is lost",
                            seq);
        continue;
      }
      if (entry->alloc)
        add_life(*call, entry->order);
      else if (open)
        add_free(*call, entry->order);
      open = entry->alloc;
      ++call;
    }
    undescribed(call, calls_end);
  }

  // Callbacks that no entry tells of.
  void undescribed(Iterator call, Iterator end) {
    for (; call != end; ++call)
      if (call->alloc)
        diagnostics_->add("allocator-order-unknown",
                          "blocks that the allocator's history does not describe", call->order);
  }

  static bool starts_with(Iterator call, Iterator calls_end, Iterator entry, Iterator told_end) {
    if (told_end - entry > calls_end - call) return false;
    bool alloc = true;
    for (; entry != told_end; ++entry, ++call, alloc = !alloc)
      if (entry->alloc != alloc || call->alloc != alloc) return false;
    return true;
  }

  void add_life(const Event& call, size_t entry) {
    place_[entry] = {call.order, call.alloc_call->call.thread};
    BlockLife life;
    life.alloc = call.alloc_call;
    life.described = history_[entry];
    result_.lives.push_back(life);
  }

  // `entry`: the place of free_requested. Its life is the newest one.
  void add_free(const Event& call, size_t entry) {
    place_[entry] = {call.order, call.free_call->call.thread};
    BlockLife& life = result_.lives.back();
    life.free_stream = history_[entry]->stream;
    life.free_stack =
        history_[entry]->stack != 0 ? history_[entry]->stack : call.free_call->call.stack;
    const size_t completed = completion_after(history_[entry]->address, entry);
    if (completed == history_.size()) return;
    if (directly_follows(entry, completed)) {
      life.free_seq = call.order;
      life.free_thread = call.free_call->call.thread;
    } else {
      pending_.push_back({result_.lives.size() - 1, entry, completed});
    }
  }

  // The place of the first free_completed of `address` behind `from`; history_.size() if none.
  size_t completion_after(uint64_t address, size_t from) const {
    const Event wanted{address, from};
    const auto it = std::upper_bound(completions_.begin(), completions_.end(), wanted, by_address);
    return it != completions_.end() && it->address == address ? it->order : history_.size();
  }

  // Nothing of that device between the two entries. Other devices' entries may lie there, but not
  // many: the allocator writes the two in one go.
  bool directly_follows(size_t requested, size_t completed) const {
    if (completed - requested > kEntriesBetween) return false;
    // Entries that were dropped may have lain between them.
    if (history_[completed]->index - history_[requested]->index != completed - requested)
      return false;
    for (size_t i = requested + 1; i < completed; ++i)
      if (history_[i]->device == history_[requested]->device) return false;
    return true;
  }

  void place_frees() {
    // The nearest entry at or behind each place whose callback is known.
    std::vector<size_t> next(place_.size() + 1, place_.size());
    for (size_t i = place_.size(); i-- > 0;) next[i] = place_[i].seq != 0 ? i : next[i + 1];
    for (const PendingFree& pending : pending_) {
      BlockLife& life = result_.lives[pending.life];
      const size_t i = next[pending.completed];
      life.after = i == place_.size() || place_[i].seq <= place_[pending.requested].seq;
      const Placed& place = place_[life.after ? pending.requested : i];
      life.free_seq = place.seq;
      life.free_thread = place.thread;
    }
  }

  const LogIndex& index_;
  const std::vector<const History*>& history_;
  Diagnostics* diagnostics_;
  std::vector<Placed> place_;  // of each entry
  std::vector<Event> completions_;
  std::vector<PendingFree> pending_;
  BlockLives result_;
};

}  // namespace

BlockLives match_history(const LogIndex& index, Diagnostics* diagnostics) {
  return Matcher(index, diagnostics).match(callbacks(index), entries(index));
}

}  // namespace bohr::trace

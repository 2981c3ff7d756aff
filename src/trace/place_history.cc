// SPDX-License-Identifier: Apache-2.0
// Bounds: one sweep over the calls forwards, which takes events only when a call's pointers demand
// it, gives the least t of each call; one backwards the greatest. Anchors sharpen both: an
// allocator writes down a new segment right behind the driver call that it got it by.
//
// Choice: from the last event to the first, each takes the last gap between calls that its bounds,
// the next event and its pool allow. Memory of a graph's private pool is handed out while a capture
// is open, and no other memory is handed out to a capturing stream.
#include "trace/place_history.h"

#include <algorithm>
#include <map>

#include "trace/import_memory.h"

namespace bohr::trace {

namespace {

constexpr uint64_t kPadding = 512;
constexpr int64_t kClocksDiffer = 5000;  // ns: what two readings of one clock may be apart
constexpr int64_t kLeastShift = 10'000, kMostShift = int64_t{1} << 40;
constexpr size_t kWideWindow = 1 << 16;
constexpr size_t kContradictions = 100;  // one call in so many may name what was given back

uint64_t padded(uint64_t address) { return (address + kPadding - 1) / kPadding * kPadding; }

// How far to believe the events' times: they are told `shift` too early, and the truth is at most
// `later` behind and `earlier` ahead of that.
struct Times {
  bool used = false;
  int64_t shift = 0;
  int64_t later = kClocksDiffer;
  int64_t earlier = kClocksDiffer;
};

// Blocks that are handed out at one t.
class Live {
 public:
  explicit Live(const DeviceHistory& history) : history_(history) {}
  void forward(size_t event) { step(event, true); }
  void backward(size_t event) { step(event, false); }
  bool holds(uint64_t address) const {
    const auto it = blocks_.upper_bound(address);
    return it != blocks_.begin() && address < std::prev(it)->second;
  }

 private:
  void step(size_t event, bool forward) {
    const size_t block = history_.block_of[event];
    if (block == kNoEvent) return;
    const HandOut& one = history_.blocks[block];
    if ((one.begin == event) == forward)
      blocks_[one.range.begin] = one.range.end;
    else
      blocks_.erase(one.range.begin);
  }
  const DeviceHistory& history_;
  std::map<uint64_t, uint64_t> blocks_;
};

class Placer {
 public:
  Placer(const DeviceHistory& history, const std::vector<HistoryCall>& calls, const Times& times)
      : history_(history), calls_(calls), events_(history.events.size()), times_(times) {}

  // Whether there is a place for every event.
  bool fits() {
    find_ends();
    find_times();
    find_anchors();
    find_pointers();
    return least() && greatest() && agree();
  }
  int64_t contradictions() const { return result_.contradictions; }

  Result<PlacedHistory> run(const std::string& source) {
    if (!fits()) return mismatch(source);
    if (result_.contradictions > 0 &&
        static_cast<size_t>(result_.contradictions) * kContradictions > result_.named)
      return mismatch(source);
    doubt_blocks();
    choose();
    return std::move(result_);
  }

 private:
  Error mismatch(const std::string& source) const {
    const std::string where =
        failed_ < calls_.size() ? "call " + std::to_string(calls_[failed_].seq) : std::string();
    return {"history-mismatch", source, where,
            "the recording's calls and these allocations cannot be of one run",
            "give the history of the very process that was recorded"};
  }

  // --- what bounds t

  void find_ends() {
    for (const HandOut& block : history_.blocks)
      for (const uint64_t end : {block.range.end, padded(block.range.end)}) {
        const auto [it, added] = ends_.try_emplace(end, block.range.begin);
        if (!added) it->second = std::min(it->second, block.range.begin);
      }
  }

  // Events that are surely ahead of each call by their times, and that surely are not. Their order
  // is right, so one that is early makes all before it early.
  void find_times() {
    floor_.assign(calls_.size(), 0);
    ceiling_.assign(calls_.size(), events_);
    if (!times_.used) return;
    std::vector<uint64_t> least(events_, UINT64_MAX),
        most(events_, 0);  // from there on, up to there
    for (size_t i = events_; i-- > 0;) {
      const uint64_t time = time_of(i);
      least[i] = std::min(i + 1 < events_ ? least[i + 1] : UINT64_MAX, time ? time : UINT64_MAX);
    }
    for (size_t i = 0; i < events_; ++i) most[i] = std::max(i > 0 ? most[i - 1] : 0, time_of(i));
    for (size_t c = 0; c < calls_.size(); ++c) {
      const auto time = static_cast<int64_t>(calls_[c].time_ns);
      if (time <= times_.later || time > INT64_MAX - times_.earlier) continue;
      floor_[c] = static_cast<size_t>(
          std::lower_bound(least.begin(), least.end(), static_cast<uint64_t>(time - times_.later)) -
          least.begin());
      ceiling_[c] = static_cast<size_t>(
          std::upper_bound(most.begin(), most.end(), static_cast<uint64_t>(time + times_.earlier)) -
          most.begin());
    }
  }

  // 0: not known.
  uint64_t time_of(size_t event) const {
    const auto time = static_cast<int64_t>(history_.events[event]->time_ns);
    if (time <= kMostShift || time > INT64_MAX - kMostShift) return 0;
    return static_cast<uint64_t>(time + times_.shift);
  }

  // The k-th segment at an address is the k-th driver allocation there, if there are as many.
  void find_anchors() {
    std::map<uint64_t, std::vector<size_t>> segments, allocations;
    for (size_t i = 0; i < events_; ++i)
      if (history_.events[i]->action == HistoryAction::segment_alloc ||
          history_.events[i]->action == HistoryAction::segment_map)
        segments[history_.events[i]->address].push_back(i);
    for (size_t c = 0; c < calls_.size(); ++c)
      if (!calls_[c].allocated.empty()) allocations[calls_[c].allocated.begin].push_back(c);
    for (const auto& [address, list] : segments) {
      const auto found = allocations.find(address);
      if (found == allocations.end() || found->second.size() != list.size()) continue;
      for (size_t k = 0; k < list.size(); ++k) anchors_[found->second[k]] = list[k];
    }
  }

  // Whether the call names a block that ends where `address` is: then it may be that end.
  bool may_be_end(const HistoryCall& call, uint64_t address) const {
    const auto end = ends_.find(address);
    if (end == ends_.end()) return false;
    return std::any_of(call.names.begin(), call.names.end(), [&](const NamedMemory& other) {
      return other.range.begin >= end->second && other.range.begin < address;
    });
  }

  void find_pointers() {
    pointers_.resize(calls_.size());
    for (size_t c = 0; c < calls_.size(); ++c) {
      for (const NamedMemory& name : calls_[c].names) {
        const ByteRange byte{name.range.begin, name.range.begin + 1};
        if (!name.strong || !any_overlaps(history_.told, byte) ||
            any_overlaps(history_.doubtful, byte) || may_be_end(calls_[c], byte.begin))
          continue;
        pointers_[c].push_back(byte.begin);
      }
      result_.named += !pointers_[c].empty();
    }
  }

  static bool all_live(const Live& live, const std::vector<uint64_t>& pointers) {
    return std::all_of(pointers.begin(), pointers.end(),
                       [&](uint64_t pointer) { return live.holds(pointer); });
  }

  // Takes out pointers into what is never handed out from event `from` on.
  void drop_stale(size_t call, size_t from) {
    std::vector<uint64_t>& pointers = pointers_[call];
    const auto stale = [&](uint64_t pointer) {
      return std::none_of(history_.blocks.begin(), history_.blocks.end(), [&](const HandOut& b) {
        return pointer >= b.range.begin && pointer < b.range.end &&
               (b.end == kNoEvent || b.end >= from);
      });
    };
    for (const uint64_t pointer : pointers)
      if (stale(pointer)) stale_.push_back({pointer, pointer + 1});
    result_.contradictions += static_cast<int64_t>(std::erase_if(pointers, stale));
  }

  bool least() {
    Live live(history_);
    least_.resize(calls_.size());
    std::map<uint32_t, size_t> floor;  // by thread
    size_t t = 0;
    for (size_t c = 0; c < calls_.size(); ++c) {
      failed_ = c;
      const auto until = floor.find(calls_[c].thread);
      while (until != floor.end() && t < until->second) live.forward(t++);
      while (t < floor_[c]) live.forward(t++);
      const size_t from = t;
      bool fits = all_live(live, pointers_[c]);
      while (!fits && t < events_) {
        live.forward(t++);
        fits = all_live(live, pointers_[c]);
      }
      if (!fits) {
        while (t > from) live.backward(--t);
        const size_t all = pointers_[c].size();
        drop_stale(c, from);
        if (pointers_[c].size() == all) return false;
        while (!all_live(live, pointers_[c])) {
          if (t == events_) return false;
          live.forward(t++);
        }
      }
      least_[c] = t;
      if (const auto anchor = anchors_.find(c); anchor != anchors_.end()) {
        if (t > anchor->second) return false;
        size_t& own = floor[calls_[c].thread];
        own = std::max(own, anchor->second + 1);
      }
    }
    return true;
  }

  bool greatest() {
    Live live(history_);
    for (size_t i = 0; i < events_; ++i) live.forward(i);
    greatest_.resize(calls_.size());
    size_t t = events_;
    for (size_t c = calls_.size(); c-- > 0;) {
      failed_ = c;
      if (const auto anchor = anchors_.find(c); anchor != anchors_.end())
        while (t > anchor->second) live.backward(--t);
      while (t > ceiling_[c]) live.backward(--t);
      while (!all_live(live, pointers_[c])) {
        if (t == 0) return false;
        live.backward(--t);
      }
      greatest_[c] = t;
    }
    return true;
  }

  bool agree() {
    for (failed_ = 0; failed_ < calls_.size(); ++failed_)
      if (least_[failed_] > greatest_[failed_]) return false;
    return true;
  }

  // --- which blocks are left out

  static bool names(const HistoryCall& call, ByteRange range) {
    return std::any_of(call.names.begin(), call.names.end(),
                       [&](const NamedMemory& name) { return name.range.overlaps(range); });
  }

  // A call for which it is open whether a block was there, and which names its bytes.
  void doubt_blocks() {
    join_overlapping(&stale_);
    open_.assign(history_.blocks.size(), false);
    std::vector<int32_t> wide(events_ + 1, 0);
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (calls_[c].names.empty() || least_[c] == greatest_[c]) continue;
      if (greatest_[c] - least_[c] > kWideWindow) {
        ++wide[least_[c]];
        --wide[greatest_[c]];
        continue;
      }
      for (size_t i = least_[c]; i < greatest_[c]; ++i) {
        const size_t block = history_.block_of[i];
        if (block != kNoEvent && !open_[block])
          open_[block] = names(calls_[c], history_.blocks[block].range);
      }
    }
    int32_t covered = 0;
    for (size_t i = 0; i < events_; ++i) {
      covered += wide[i];
      if (covered > 0 && history_.block_of[i] != kNoEvent) open_[history_.block_of[i]] = true;
    }
    for (size_t b = 0; b < history_.blocks.size(); ++b) {
      const ByteRange range = history_.blocks[b].range;
      open_[b] = open_[b] || any_overlaps(history_.doubtful, range) || any_overlaps(stale_, range);
    }
  }

  // --- where the others go

  // Gaps are numbered by the call behind them; the last is behind all calls. Event i lies in one of
  // [first_gap, last_gap].
  size_t last_gap(size_t event) const {
    return static_cast<size_t>(
        std::partition_point(least_.begin(), least_.end(), [&](size_t t) { return t <= event; }) -
        least_.begin());
  }
  size_t first_gap(size_t event) const {
    return static_cast<size_t>(std::partition_point(greatest_.begin(), greatest_.end(),
                                                    [&](size_t t) { return t <= event; }) -
                               greatest_.begin());
  }

  uint32_t capture_at(size_t gap) const { return gap < calls_.size() ? calls_[gap].capture : 0; }

  void count_gaps() {
    boundaries_.assign(1, 0);
    orders_.assign(1, 0);
    for (const HistoryCall& call : calls_) {
      boundaries_.push_back(boundaries_.back() + call.boundary);
      orders_.push_back(orders_.back() + (call.orders || call.boundary || call.works));
    }
  }

  // The gap of an allocation, at most `limit`; kNoEvent where its capture is open.
  size_t gap_of_alloc(const HistoryEvent& event, size_t first, size_t limit) const {
    if (first > limit) return kNoEvent;
    if (boundaries_[limit] == boundaries_[first]) return limit;  // all in one, or all in none
    if (!event.pool_known) return kNoEvent;
    const bool in_capture = event.pool_a != 0 || event.pool_b != 0;
    size_t gap = limit;
    while (gap > first && (capture_at(gap) != 0) != in_capture) --gap;
    if ((capture_at(gap) != 0) != in_capture) return kNoEvent;
    if (!in_capture) return gap;
    size_t earliest = first;
    while (capture_at(earliest) == 0) ++earliest;
    return capture_at(earliest) == capture_at(gap) ? gap : kNoEvent;
  }

  void choose() {
    count_gaps();
    gaps_.assign(events_, kNoEvent);
    size_t limit = calls_.size();
    for (size_t i = events_; i-- > 0;) {
      const size_t block = history_.block_of[i];
      if (block == kNoEvent || open_[block]) continue;
      const size_t last = std::min(limit, last_gap(i));
      const size_t first = first_gap(i);
      const bool alloc = history_.blocks[block].begin == i;
      const size_t gap = alloc           ? gap_of_alloc(*history_.events[i], first, last)
                         : first <= last ? last
                                         : kNoEvent;
      if (gap == kNoEvent)
        open_[block] = true;
      else
        gaps_[i] = limit = gap;
    }
    emit();
  }

  void emit() {
    for (size_t b = 0; b < history_.blocks.size(); ++b) {
      const size_t end = history_.blocks[b].end;
      if (!open_[b] && end != kNoEvent)
        result_.frees_open += orders_[gaps_[end]] != orders_[first_gap(end)];
    }
    for (size_t i = 0; i < events_; ++i) {
      const size_t block = history_.block_of[i];
      if (block == kNoEvent || open_[block]) continue;
      PlacedEvent placed{history_.events[i], 0, 0, block};
      if (gaps_[i] < calls_.size()) placed.before = calls_[gaps_[i]].seq;
      if (!calls_.empty()) placed.thread = calls_[std::min(gaps_[i], calls_.size() - 1)].thread;
      result_.events.push_back(placed);
    }
    result_.left_out = std::move(open_);
  }

  const DeviceHistory& history_;
  const std::vector<HistoryCall>& calls_;
  size_t events_;
  Times times_;
  std::vector<size_t> floor_, ceiling_;          // of each call: t by the times
  std::map<uint64_t, uint64_t> ends_;            // end of a block -> the first begin it has
  std::map<size_t, size_t> anchors_;             // call -> segment's event
  std::vector<std::vector<uint64_t>> pointers_;  // of each call
  std::vector<size_t> least_, greatest_;         // of each call: t
  std::vector<ByteRange> stale_;
  std::vector<bool> open_;                    // of each block: it is left out
  std::vector<int64_t> boundaries_, orders_;  // before each gap
  std::vector<size_t> gaps_;                  // of each event
  size_t failed_ = 0;
  PlacedHistory result_;
};

}  // namespace

namespace {

// How many pointers contradict the history; -1: there is no place for all events at all.
int64_t contradictions(const DeviceHistory& history, const std::vector<HistoryCall>& calls,
                       const Times& times) {
  Placer placer(history, calls, times);
  return placer.fits() ? placer.contradictions() : -1;
}

// The least shift in one direction that the calls contradict; 0 where they contradict none.
int64_t contradicted(const DeviceHistory& history, const std::vector<HistoryCall>& calls,
                     int64_t direction, int64_t usual) {
  for (int64_t shift = kLeastShift; shift <= kMostShift; shift *= 2)
    if (contradictions(history, calls, {true, direction * shift}) != usual) return shift;
  return 0;
}

// Two clocks, or one that was set, may be apart by more than anybody thinks. So the times are
// believed as far as the calls themselves confirm them: had the events been later or earlier by
// more, some call would have named what was not there.
Times confirmed_times(const DeviceHistory& history, const std::vector<HistoryCall>& calls) {
  const bool any = std::any_of(history.events.begin(), history.events.end(),
                               [](const HistoryEvent* event) { return event->time_ns != 0; });
  if (!any) return {};
  const int64_t usual = contradictions(history, calls, {});
  if (contradictions(history, calls, {true}) != usual) return {};
  const int64_t later = contradicted(history, calls, 1, usual);
  const int64_t earlier = later == 0 ? 0 : contradicted(history, calls, -1, usual);
  if (earlier == 0) return {};
  return {true, 0, later, earlier};
}

}  // namespace

Result<PlacedHistory> place_history(const DeviceHistory& history,
                                    const std::vector<HistoryCall>& calls,
                                    const std::string& source) {
  const Times times = confirmed_times(history, calls);
  return Placer(history, calls, times).run(source);
}

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Sequence numbers have no room between them, so all are multiplied by a number above the most
// events that share a gap; what was placed ahead of a call gets the numbers just below its own.
#include "trace/add_history.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <type_traits>

#include "trace/place_history.h"

namespace bohr::trace {

namespace {

constexpr uint64_t kLegacy = 1, kPerThread = 2;  // handles of the default streams
constexpr std::string_view kUnseen = "PyTorch is loaded, but the Python shim";

// Multiplies every sequence number of a record.
struct Scale {
  uint64_t by;
  void operator()(const char*, Call& call) const {
    call.seq *= by;
    call.exit *= by;
  }
  void operator()(const char* name, uint64_t& value) const {
    if (std::strcmp(name, "seq") == 0) value *= by;
  }
  template <class T>
  void operator()(const char*, T&) const {}
};

struct Highest {
  uint64_t* most;
  void operator()(const char*, const Call& call) const {
    *most = std::max({*most, call.seq, call.exit});
  }
  void operator()(const char* name, const uint64_t& value) const {
    if (std::strcmp(name, "seq") == 0) *most = std::max(*most, value);
  }
  template <class T>
  void operator()(const char*, const T&) const {}
};

template <class V>
void visit_fields(const V& visitor, Record* record) {
  std::visit([&](auto& r) { std::remove_cvref_t<decltype(r)>::fields(visitor, r); },
             static_cast<AnyRecord&>(*record));
}

constexpr uint64_t kSecond = 1000000000, kDay = 86400 * kSecond;
constexpr uint64_t kZoneStep = 900 * kSecond;
constexpr uint64_t kAround = 2 * kSecond;  // how far events may lie outside the recorded calls

// First and last time of the recording's calls; an empty range where it tells none.
ByteRange recorded_span(const Log& log) {
  ByteRange span{UINT64_MAX, 0};
  for (const Record& record : log.records) {
    const Clock* clock = std::get_if<Clock>(&record);
    if (!clock) continue;
    uint64_t last = clock->unix_ns;
    for (const uint64_t later : clock->times) last += later;
    span = {std::min(span.begin, clock->unix_ns), std::max(span.end, last)};
  }
  return span;
}

// Times of day of an untold zone become times, if exactly one zone puts all of them into the time
// of the recording; else there are none.
void date_history(const Log& log, AllocatorHistory* history) {
  const ByteRange span = recorded_span(log);
  uint64_t days = 0, before = 0, first = 0, last = 0;
  for (HistoryEvent& event : history->events) {
    if (event.time_ns == 0) continue;
    if (event.time_ns + kDay / 2 < before) ++days;  // past midnight
    before = event.time_ns;
    event.time_ns += days * kDay;
    first = first == 0 ? event.time_ns : std::min(first, event.time_ns);
    last = std::max(last, event.time_ns);
  }
  std::vector<uint64_t> fits;  // what to add
  if (first != 0 && !span.empty() && span.begin > 2 * kDay && span.end < UINT64_MAX / 2)
    for (uint64_t add = (span.begin / kDay - 1) * kDay; add <= span.begin + kDay; add += kZoneStep)
      if (first + add + kAround >= span.begin && last + add <= span.end + kAround)
        fits.push_back(add);
  for (HistoryEvent& event : history->events)
    event.time_ns = fits.size() == 1 && event.time_ns != 0 ? event.time_ns + fits.front() : 0;
}

class Adder {
 public:
  Adder(const Log& log, const AllocatorHistory& history)
      : history_(history), index_(index_log(log, &diagnostics_)), log_(log) {}

  Result<AddedHistory> run() {
    BOHR_TRY_STATUS(usable());
    BOHR_TRY_STATUS(place());
    if (named_ == 0)
      return Error{"history-mismatch", history_.source, "",
                   "no call of the recording names any of its blocks",
                   "give the history of the very process that was recorded"};
    if (result_.blocks == 0)
      return Error{"history-open", history_.source, "",
                   "the recording's calls leave open where each block of it stands",
                   "give the history of the very process that was recorded, from its start"};
    BOHR_TRY_STATUS(renumber());
    add_stacks();
    add_blocks();
    add_entries();
    add_notes();
    return std::move(result_);
  }

 private:
  Status usable() {
    if (!index_.block_allocs.empty())
      return Error{"history-known", log_.source, "",
                   "the recording has its allocator's blocks already", "check it as it is"};
    if (driver_pool_has_them())
      return Error{"history-known", log_.source, "",
                   "these blocks are the driver's own (cudaMallocAsync), which are recorded",
                   "check it as it is"};
    for (const Record& record : log_.records)
      if (const StreamHandle* handle = std::get_if<StreamHandle>(&record))
        streams_[handle->handle].push_back(handle->stream);
    if (streams_.empty())
      return Error{"history-handles", log_.source, "",
                   "it does not say what the program calls its streams", "record it again"};
    return Nothing{};
  }

  bool driver_pool_has_them() const {
    std::set<uint64_t> ordered;
    for (const Record& record : log_.records)
      if (const MemAlloc* alloc = std::get_if<MemAlloc>(&record))
        if (alloc->layer == Layer::stream_ordered) ordered.insert(alloc->address);
    return std::any_of(history_.events.begin(), history_.events.end(), [&](const HistoryEvent& e) {
      return e.action == HistoryAction::alloc && ordered.count(e.address) != 0;
    });
  }

  // --- which stream a handle was

  uint32_t stream_of(const HistoryEvent& event, uint64_t seq) const {
    uint64_t handle = event.stream;
    if (handle == 0) handle = streams_.count(kLegacy) != 0 ? kLegacy : kPerThread;
    const auto found = streams_.find(handle);
    if (found == streams_.end()) return 0;
    uint32_t best = 0;
    for (const uint32_t number : found->second) {
      const auto stream = index_.streams.find(number);
      if (stream == index_.streams.end()) continue;
      if (history_.tells_segments && stream->second->device != event.device) continue;
      if (handle <= kPerThread && best != 0) return 0;  // of several contexts
      // Of equal handles the newest that was there, else the first.
      if (best == 0 || seq == 0 || stream->second->seq <= seq) best = number;
    }
    return best;
  }

  // --- where the events go

  Status place() {
    const std::vector<HistoryCall> calls = history_calls(log_, index_);
    std::set<uint32_t> devices;
    for (const HistoryEvent& event : history_.events) devices.insert(event.device);
    for (const uint32_t device : devices) {
      const DeviceHistory told = device_history(history_, device);
      BOHR_TRY(placed, place_history(told, calls, history_.source));
      leave_out_unknown_streams(&placed);
      result_.frees_open += placed.frees_open;
      named_ += placed.named;
      for (const PlacedEvent& event : placed.events)
        if (!placed.left_out[event.block]) gaps_[event.before].push_back(event);
      for (size_t b = 0; b < told.blocks.size(); ++b) keep(told, b, placed.left_out[b]);
    }
    return Nothing{};
  }

  void leave_out_unknown_streams(PlacedHistory* placed) const {
    for (const PlacedEvent& event : placed->events)
      if (stream_of(*event.event, event.before) == 0) placed->left_out[event.block] = true;
  }

  void keep(const DeviceHistory& told, size_t block, bool left_out) {
    const HandOut& one = told.blocks[block];
    ++(left_out ? result_.left_out : result_.blocks);
    if (left_out) {
      open_.insert({one.range.begin, one.range.size()});
      return;
    }
    for (const size_t place : {one.begin, one.end, one.completed})
      if (place != kNoEvent) kept_.insert(told.events[place]);
  }

  // --- what is written

  Status renumber() {
    size_t most = 0;
    for (const auto& [before, events] : gaps_) most = std::max(most, events.size());
    factor_ = most + 2;
    result_.log = log_;
    for (Record& record : result_.log.records) visit_fields(Highest{&highest_}, &record);
    if (highest_ > (uint64_t{1} << 62) / factor_ - 2)
      return Error{"log-too-large", log_.source, "", "its sequence numbers are too large",
                   "record it again"};
    std::erase_if(result_.log.records, [&](const Record& record) {
      if (std::holds_alternative<Clock>(record)) return true;  // not of the new numbers
      const Diagnostic* note = std::get_if<Diagnostic>(&record);
      return note && history_.allocator == "PyTorch" &&
             text_of(log_, note->text.id).substr(0, kUnseen.size()) == kUnseen;
    });
    for (Record& record : result_.log.records) {
      visit_fields(Scale{factor_}, &record);
      if (Diagnostic* note = std::get_if<Diagnostic>(&record)) {
        if (note->from <= highest_) note->from *= factor_;
        if (note->to <= highest_) note->to *= factor_;
      }
      if (const Stack* stack = std::get_if<Stack>(&record))
        last_stack_ = std::max(last_stack_, stack->stack);
    }
    return Nothing{};
  }

  Text text(const std::string& value) {
    const auto [known, added] = texts_.try_emplace(value, 0);
    if (added && !value.empty()) {
      known->second = static_cast<uint32_t>(result_.log.strings.size());
      result_.log.strings.push_back(value);
    }
    return {known->second};
  }

  void add_stacks() {
    for (const std::vector<HistoryFrame>& frames : history_.stacks) {
      Stack stack;
      stack.stack = ++last_stack_;
      for (const HistoryFrame& frame : frames) {
        stack.functions.push_back(text(frame.function).id);
        stack.files.push_back(text(frame.file).id);
        stack.lines.push_back(frame.line);
        stack.python.push_back(frame.file.ends_with(".py"));
      }
      result_.log.records.emplace_back(std::move(stack));
    }
  }
  uint32_t stack_of(const HistoryEvent& event) const {
    const auto all = static_cast<uint32_t>(history_.stacks.size());
    return event.stack == 0 ? 0 : last_stack_ - all + event.stack;
  }

  void add_blocks() {
    for (const auto& [before, events] : gaps_) {
      const uint64_t behind = before == 0 ? (highest_ + 2) * factor_ : before * factor_;
      for (size_t i = 0; i < events.size(); ++i) {
        const PlacedEvent& placed = events[i];
        Call call;
        call.seq = call.exit = behind - events.size() + i;
        call.thread = placed.thread;
        call.stack = stack_of(*placed.event);
        numbers_[placed.event] = before;
        if (placed.event->action == HistoryAction::alloc)
          result_.log.records.emplace_back(BlockAlloc{call, placed.event->address});
        else
          result_.log.records.emplace_back(BlockFree{call, placed.event->address});
      }
    }
  }

  void add_entries() {
    uint64_t next = 0;
    for (const History* entry : index_.history) next = std::max(next, entry->index + 1);
    for (const auto& [address, bytes] : open_) {
      History entry;
      entry.index = next++;
      entry.address = address;
      entry.bytes = bytes;
      result_.log.records.emplace_back(entry);
    }
    for (const HistoryEvent& event : history_.events) {
      if (kept_.count(&event) == 0) continue;
      History entry;
      entry.index = next++;
      entry.device = event.device;
      entry.action = event.action;
      entry.address = event.address;
      entry.bytes = event.bytes;
      const auto placed = numbers_.find(&event);
      entry.stream = stream_of(event, placed == numbers_.end() ? 0 : placed->second);
      entry.pool_a = event.pool_a;
      entry.pool_b = event.pool_b;
      entry.stack = stack_of(event);
      result_.log.records.emplace_back(entry);
    }
  }

  void add_notes() {
    note("note",
         "the blocks are those of a history of " + history_.allocator +
             ", placed among the calls that name them",
         1);
    if (result_.frees_open > 0)
      note("free-order-unknown", "frees that may have come before a wait or behind it",
           static_cast<uint64_t>(result_.frees_open));
    // What ends a log stays its last record.
    auto& records = result_.log.records;
    const auto end = std::find_if(records.begin(), records.end(), [](const Record& record) {
      return std::holds_alternative<End>(record);
    });
    if (end != records.end()) std::rotate(end, end + 1, records.end());
  }

  void note(const char* reason, const std::string& words, uint64_t count) {
    Diagnostic record;
    record.reason = text(reason);
    record.text = text(words);
    record.count = count;
    result_.log.records.emplace_back(record);
  }

  const AllocatorHistory& history_;
  Diagnostics diagnostics_;
  LogIndex index_;
  const Log& log_;
  std::map<uint64_t, std::vector<uint32_t>> streams_;  // by handle, oldest first
  std::map<uint64_t, std::vector<PlacedEvent>> gaps_;  // by the call behind; 0: behind all
  std::map<const HistoryEvent*, uint64_t> numbers_;    // of what was placed: the call behind
  std::set<const HistoryEvent*> kept_;                 // of blocks that were placed
  std::set<std::pair<uint64_t, uint64_t>> open_;       // address and size of the others
  std::map<std::string, uint32_t> texts_;
  size_t named_ = 0;  // calls that name a block
  uint64_t factor_ = 1;
  uint64_t highest_ = 0;
  uint32_t last_stack_ = 0;
  AddedHistory result_;
};

}  // namespace

Result<AddedHistory> add_history(const Log& log, AllocatorHistory history) {
  if (history.times_of_day) date_history(log, &history);
  return Adder(log, history).run();
}

}  // namespace bohr::trace

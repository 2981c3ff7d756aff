// SPDX-License-Identifier: Apache-2.0
#include "agent/pinned.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "agent/calls.h"
#include "agent/recorder.h"

namespace bohr::agent {
namespace {

constexpr size_t kMaxStreams = 8;  // that are known to follow one source

void add_write(Recorder& r, DriverCall& call, PinnedSpan span, uint64_t seq) {
  if (!call.stack) call.stack = stack_of_call(r, false);
  trace::HostWrite record;
  record.call = {seq, seq, call.thread, call.stack};
  record.address = span.begin;
  record.bytes = span.end - span.begin;
  log_work(r, record);
}

std::vector<PinnedSpan> changed_sources(Recorder& r, const PickSource& wanted) {
  std::lock_guard lock(r.pinned.mutex);
  return take_changed(r.pinned, wanted);
}

// A write is placed behind its discovery, so that what other threads knew before they wrote counts,
// and ahead of the call.
void look(Recorder& r, DriverCall& call, const PickSource& wanted) {
  if (!has_pinned_sources(r)) return;
  const std::vector<PinnedSpan> changed = changed_sources(r, wanted);
  for (PinnedSpan span : changed) add_write(r, call, span, r.tick());
  if (!changed.empty()) call.seq = r.tick();
}

void done(Recorder& r, const PickSource& covered) {
  if (!has_pinned_sources(r)) return;
  std::lock_guard lock(r.pinned.mutex);
  forget_sources(r.pinned, covered);
}

void query_succeeded(Recorder& r, DriverCall& call, const PickSource& covered) {
  if (!has_pinned_sources(r)) return;
  if (call.before && call.exit == call.seq + 1) {
    for (PinnedSpan span : changed_sources(r, covered)) add_write(r, call, span, call.before);
  }
  done(r, covered);
}

PickSource given_to(uint32_t stream, uint64_t seq) {
  return [stream, seq](const PinnedSource& source) { return follows(source, stream, seq); };
}

PickSource ahead_of(const EventVersion& event) { return given_to(event.stream, event.seq); }

}  // namespace

bool watches_pinned(const Recorder& r) {
  return r.pinned.range_count.load(std::memory_order_relaxed) > 0;
}
bool has_pinned_sources(const Recorder& r) {
  return r.pinned.source_count.load(std::memory_order_relaxed) > 0;
}

void pinned_added(Recorder& r, uint64_t address, uint64_t bytes, bool registered) {
  std::lock_guard lock(r.pinned.mutex);
  watch_range(r.pinned, {address, address + bytes}, registered);
}

void pinned_removed(Recorder& r, uint64_t address) {
  if (!watches_pinned(r)) return;
  std::lock_guard lock(r.pinned.mutex);
  forget_range_at(r.pinned, address);
}

void all_pinned_removed(Recorder& r) {
  std::lock_guard lock(r.pinned.mutex);
  forget_all(r.pinned);
}

void pinned_read(Recorder& r, DriverCall& call, const std::vector<PinnedSpan>& spans) {
  look(r, call, [&](const PinnedSource& source) {
    return std::any_of(spans.begin(), spans.end(),
                       [&](PinnedSpan span) { return overlap(span, source.span); });
  });
  const uint32_t stream = stream_of(r, call);
  std::lock_guard lock(r.pinned.mutex);
  add_sources(r.pinned, spans, stream, call.seq);
}

void pinned_written(Recorder& r, DriverCall& call, PinnedSpan span) {
  look(r, call, [&](const PinnedSource& source) { return overlap(source.span, span); });
  pinned_unwatched(r, span);
}

void pinned_unwatched(Recorder& r, PinnedSpan span) {
  if (!watches_pinned(r)) return;
  std::lock_guard lock(r.pinned.mutex);
  forget_ranges(r.pinned, span);
}

void look_at_stream(Recorder& r, DriverCall& call, uint32_t stream) {
  look(r, call, given_to(stream, call.seq));
}

void look_at_event(Recorder& r, DriverCall& call, const EventVersion& event) {
  look(r, call, ahead_of(event));
}

void look_at_all(Recorder& r, DriverCall& call) {
  look(r, call, [](const PinnedSource&) { return true; });
}

void host_function_issued(Recorder& r, DriverCall& call) {
  look_at_all(r, call);
  all_done(r, call.seq);
}

void query_entered(Recorder& r, DriverCall& call) {
  if (!has_pinned_sources(r)) return;
  call.before = call.seq;
  call.seq = r.tick();
}

void stream_query_succeeded(Recorder& r, DriverCall& call, uint32_t stream) {
  query_succeeded(r, call, given_to(stream, call.seq));
}

void event_query_succeeded(Recorder& r, DriverCall& call, const EventVersion& event) {
  query_succeeded(r, call, ahead_of(event));
}

void stream_done(Recorder& r, uint32_t stream, uint64_t seq) { done(r, given_to(stream, seq)); }

void all_done(Recorder& r, uint64_t seq) {
  done(r, [seq](const PinnedSource& source) { return source.seq < seq; });
}

void stream_waits(Recorder& r, uint32_t stream, uint64_t seq, const EventVersion& event) {
  if (!has_pinned_sources(r)) return;
  std::lock_guard lock(r.pinned.mutex);
  for (PinnedSource& source : r.pinned.sources) {
    if (source.streams.size() < kMaxStreams && follows(source, event.stream, event.seq) &&
        !follows(source, stream, seq)) {
      source.streams.emplace_back(stream, seq);
    }
  }
}

void pinned_named(Recorder& r, const PackedParams& params) {
  if (!watches_pinned(r)) return;
  if (params.form == trace::ParamForm::unreadable) {
    stop_watching_pinned(r, "a kernel's parameters could not be read");
    return;
  }
  const uint64_t lowest = r.pinned.lowest.load(), highest = r.pinned.highest.load();
  for (size_t at = 0; at + sizeof(uint64_t) <= params.bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, params.bytes.data() + at, sizeof word);
    if (word >= lowest && word < highest) pinned_unwatched(r, {word, word + 1});
  }
}

void stop_watching_pinned(Recorder& r, const char* why) {
  if (!watches_pinned(r)) return;
  {
    std::lock_guard lock(r.pinned.mutex);
    if (r.pinned.off) return;
    r.pinned.off = true;
    forget_all(r.pinned);
  }
  diagnose(r, "note", std::string("rewrites of pinned sources are not seen from here on: ") + why);
}

void report_pinned(Recorder& r) {
  uint64_t cut = 0, dropped = 0;
  {
    std::lock_guard lock(r.pinned.mutex);
    cut = r.pinned.cut, dropped = r.pinned.dropped;
  }
  const auto note = [&](uint64_t count, const char* text) {
    if (count) diagnose(r, "note", std::to_string(count) + " " + text);
  };
  note(cut, "pinned sources were digested in part: more than 1 MiB in one call");
  note(dropped, "pinned sources were not looked at again: too many copies not known to be done");
}

}  // namespace bohr::agent

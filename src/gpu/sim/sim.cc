// SPDX-License-Identifier: Apache-2.0
// Calls in general, threads, streams, events and host synchronisation.
#include "gpu/sim/sim.h"

#include <algorithm>
#include <map>
#include <utility>

namespace bohr::gpu::sim {

namespace {

constexpr uint32_t kContext = 1;

}  // namespace

Result<std::unique_ptr<Sim>> Sim::create(const Options& options) {
  BOHR_TRY(log, EventLog::open({options.log, options.log_limit, options.declare},
                               options.memory.device));
  std::unique_ptr<Sim> sim(new Sim(options, std::move(log)));
  sim->begin();
  return sim;
}

Sim::Sim(const Options& options, std::unique_ptr<EventLog> log)
    : options_(options),
      arena_(options.memory),
      device_(arena_.range(Region::device)),
      pinned_(arena_.range(Region::pinned)),
      pageable_(arena_.range(Region::pageable)),
      allocator_(allocator_driver()),
      log_(std::move(log)) {}

void Sim::begin() {
  run_ = std::make_unique<ConcurrentRun>(tape_, &arena_, options_.timing, options_.seed);
  thread_ = make_thread("main");
}

Status Sim::enter(trace::Call* call) {
  if (failed_) return *failed_;
  call->seq = ++seq_;
  call->thread = number_of(thread_);
  call->stack = stacks_[thread_.index()];
  return Nothing{};
}

trace::Call Sim::left(trace::Call call) {
  call.exit = ++seq_;
  return call;
}

// What fails on the device fails for good, as a broken context does.
Status Sim::keep(Status status) {
  if (!status.ok()) failed_ = std::make_unique<Error>(status.error());
  return status;
}

Status Sim::issue(TapeOp op, const trace::Call& call) {
  op.seq = call.seq;
  op.thread = thread_;
  tape_.ops.push_back(std::move(op));
  return keep(run_->issue(static_cast<int32_t>(tape_.ops.size() - 1)));
}

Status Sim::take_time(const trace::Call& call) {
  TapeOp op;
  op.kind = OpKind::call;
  return issue(std::move(op), call);
}

Status Sim::outside_captures(const char* what) {
  if (captures_.empty()) return Nothing{};
  for (auto& [number, capture] : captures_) capture.invalidate();
  return Error{"capture-call", what, captures_.begin()->second.name(),
               "no capture survives this call", "make it before or behind the capture"};
}

Capture* Sim::capture_of(Stream stream) {
  for (auto& [number, capture] : captures_)
    if (capture.holds(stream)) return &capture;
  return nullptr;
}

Thread Sim::make_thread(const std::string& name) {
  const Thread thread(stacks_.size());
  stacks_.push_back(0);
  log_->thread(thread, name);
  return thread;
}

void Sim::on_thread(Thread thread) {
  BOHR_CHECK(thread.index() < stacks_.size());
  thread_ = thread;
}

void Sim::at(const Place& place) { stacks_[thread_.index()] = log_->stack(place); }

Stream Sim::make_stream(const StreamOptions& options) {
  const Stream stream(tape_.streams.size());
  tape_.streams.push_back(options);
  log_->stream(++seq_, stream, options);
  return stream;
}

Event Sim::make_event() {
  events_.emplace_back();
  return Event(events_.size() - 1);
}

Status Sim::record(Event event, Stream stream) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  return record_on(event, stream, call);
}

Status Sim::record_on(Event number, Stream stream, const trace::Call& call) {
  EventState& event = events_[number.index()];
  ++event.version;
  Capture* capture = capture_of(stream);
  event.capture = capture ? capture->number() : 0;
  event.frontier = capture ? capture->frontier(stream) : Frontier();
  event.op = capture ? -1 : static_cast<int32_t>(tape_.ops.size());
  TapeOp op;
  op.kind = capture ? OpKind::call : OpKind::record;
  op.stream = stream;
  Status status = issue(std::move(op), call);
  log_->append(trace::EventRecord{left(call), number_of(number), event.version, number_of(stream),
                                  event.capture});
  return status;
}

Status Sim::wait(Stream stream, Event number) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  const EventState& event = events_[number.index()];
  Capture* own = capture_of(stream);
  const bool captured = event.version != 0 && event.capture != 0;
  const auto other = captured ? captures_.find(event.capture) : captures_.end();
  if ((captured && other == captures_.end()) || (captured && own && own != &other->second) ||
      (own && !captured && event.version != 0)) {
    if (own) own->invalidate();
    return Error{"capture-isolation", "wait", "",
                 "it would connect a capture with work that is not in it",
                 "record the event and wait for it in one capture, or outside"};
  }
  if (captured) own = &other->second;
  if (captured) own->wait(stream, event.frontier);
  TapeOp op;
  op.kind = own ? OpKind::call : OpKind::wait;
  op.stream = stream;
  op.bound = event.op;
  Status status = issue(std::move(op), call);
  log_->append(trace::EventWait{left(call), number_of(number), event.version, number_of(stream),
                                own ? own->number() : 0});
  return status;
}

Status Sim::sync_now(OpKind kind, trace::SyncKind what, Stream stream, Event number,
                     const trace::Call& call) {
  const EventState* event = number.valid() ? &events_[number.index()] : nullptr;
  TapeOp op;
  op.kind = kind;
  op.stream = stream;
  op.bound = event ? event->op : -1;
  trace::HostSync record;
  record.what = what;
  record.stream = number_of(stream);
  record.event = number_of(number);
  record.version = event ? event->version : 0;
  record.context = what == trace::SyncKind::context ? kContext : 0;
  BOHR_TRY_STATUS(issue(std::move(op), call));
  record.call = left(call);
  log_->append(record);
  return Nothing{};
}

Status Sim::sync(OpKind kind, trace::SyncKind what, Stream stream, Event event) {
  BOHR_TRY_STATUS(outside_captures("synchronisation"));
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  return sync_now(kind, what, stream, event, call);
}

Status Sim::sync_stream(Stream stream) {
  return sync(OpKind::sync_stream, trace::SyncKind::stream, stream, {});
}

Status Sim::sync_event(Event event) {
  return sync(OpKind::sync_event, trace::SyncKind::event, {}, event);
}

Status Sim::sync_device() { return sync(OpKind::sync_device, trace::SyncKind::context, {}, {}); }

// A query that finds the work done is a synchronisation that takes no waiting; the tape keeps it as
// one, because what the program does next may rest on it.
Result<bool> Sim::query_stream(Stream stream) {
  BOHR_TRY_STATUS(outside_captures("query"));
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  BOHR_TRY_STATUS(take_time(call));
  if (!run_->stream_done(stream)) return false;
  BOHR_TRY_STATUS(sync(OpKind::sync_stream, trace::SyncKind::stream_query, stream, {}));
  return true;
}

Result<bool> Sim::query_event(Event event) {
  BOHR_TRY_STATUS(outside_captures("query"));
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  BOHR_TRY_STATUS(take_time(call));
  if (!run_->record_done(events_[event.index()].op)) return false;
  BOHR_TRY_STATUS(sync(OpKind::sync_event, trace::SyncKind::event_query, {}, event));
  return true;
}

// A kernel's early part and its rest are one piece of work.
void Sim::log_timings() {
  std::map<std::pair<int32_t, int32_t>, trace::Timing> timings;
  for (const Span& span : run_->spans()) {
    const TapeOp& op = tape_.ops[static_cast<size_t>(span.item.op)];
    const auto begin = static_cast<uint64_t>(span.begin), end = static_cast<uint64_t>(span.end);
    const uint32_t node = span.item.node < 0 ? 0 : static_cast<uint32_t>(span.item.node);
    const auto [at, added] = timings.try_emplace({span.item.op, span.item.node},
                                                 trace::Timing{op.seq, node, begin, end});
    at->second.begin = std::min(at->second.begin, begin);
    at->second.end = std::max(at->second.end, end);
  }
  for (const auto& [item, timing] : timings) log_->append(timing);
}

Status Sim::finish() {
  Status status = failed_ ? Status(*failed_) : keep(run_->finish());
  log_segments();
  log_timings();
  log_->close(++seq_);
  if (status.ok())
    failed_ = std::make_unique<Error>(
        Error{"sim-finished", "simulated GPU", "", "the program was said to be over", ""});
  return status;
}

}  // namespace bohr::gpu::sim

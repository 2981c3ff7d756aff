// SPDX-License-Identifier: Apache-2.0
// Memory: of the device through the caching allocator, whose segments, events and history are
// written as the recorder would see them; of the host straight from the driver.
//
// An event that the allocator asks about and finds done is a synchronisation of the host, as any
// query is: what it hands out next rests on it. So it is on the tape too.
#include <utility>

#include "gpu/sim/sim.h"

namespace bohr::gpu::sim {

namespace {

Error out_of_memory(std::string_view name, uint64_t bytes) {
  return {"out-of-memory", std::string(name), std::to_string(bytes) + " bytes",
          "the simulated machine has no gap of that size", "give it more memory"};
}

PoolId pool_id(Pool pool) { return PoolId(pool.value()); }

}  // namespace

AllocatorDriver Sim::allocator_driver() {
  AllocatorDriver driver;
  driver.segment_alloc = [this](uint64_t bytes) { return segment_alloc(bytes); };
  driver.segment_free = [this](uint64_t address) { segment_free(address); };
  driver.record = [this](StreamId stream) { return allocator_record(stream); };
  driver.done = [this](EventToken token) { return allocator_done(token); };
  driver.wait = [this](EventToken token) { allocator_sync(token, trace::SyncKind::event); };
  driver.note = [this](const HistoryEntry& entry) { note_history(entry); };
  return driver;
}

// Calls that the allocator makes inside the program's.
trace::Call Sim::inner_call() {
  trace::Call call;
  call.seq = ++seq_;
  call.thread = number_of(thread_);
  call.stack = stacks_[thread_.index()];
  return call;
}

std::optional<uint64_t> Sim::segment_alloc(uint64_t bytes) {
  const uint64_t address = device_.take(bytes);
  if (address == 0) return std::nullopt;
  log_->append(trace::MemAlloc{.call = left(inner_call()), .address = address, .bytes = bytes});
  return address;
}

void Sim::segment_free(uint64_t address) {
  BOHR_CHECK(device_.give_back(address) != 0);
  log_->append(trace::MemFree{.call = left(inner_call()), .address = address});
}

EventToken Sim::allocator_record(StreamId stream) {
  const Event event = make_event();
  const Status ignored = record_on(event, Stream(stream.value()), inner_call());
  BOHR_CHECK(ignored.ok() || failed_);
  return EventToken(event.value());
}

bool Sim::allocator_done(EventToken token) {
  if (failed_ || !run_->record_done(events_[token.index()].op)) return false;
  allocator_sync(token, trace::SyncKind::event_query);
  return true;
}

void Sim::allocator_sync(EventToken token, trace::SyncKind what) {
  // A failure stays, and is what the call of the program returns.
  const Status ignored = sync_now(OpKind::sync_event, what, {}, Event(token.value()), inner_call());
  BOHR_CHECK(ignored.ok() || failed_);
}

void Sim::note_history(const HistoryEntry& entry) {
  trace::History record;
  record.index = history_++;
  record.action = entry.action;
  record.address = entry.address;
  record.bytes = entry.bytes;
  record.stream = number_of(entry.stream);
  record.pool_b = number_of(entry.pool);
  record.stack = stacks_[thread_.index()];
  log_->append(record);
}

void Sim::name_memory(uint64_t seq, uint64_t address, std::string_view name) {
  if (!name.empty())
    log_->append(trace::Name{.seq = seq, .address = address, .text = log_->text(name)});
}

Result<uint64_t> Sim::alloc(uint64_t bytes, Stream stream, std::string_view name) {
  BOHR_CHECK(bytes > 0);
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  BOHR_TRY_STATUS(take_time(call));
  BOHR_TRY(block, allocator_.alloc(bytes, StreamId(stream.value())));
  if (failed_) return *failed_;
  const trace::Call handed_out = left(inner_call());
  log_->append(trace::BlockAlloc{handed_out, block.address});
  name_memory(handed_out.seq, block.address, name);
  return block.address;
}

Status Sim::free(uint64_t address) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  BOHR_TRY_STATUS(take_time(call));
  log_->append(trace::BlockFree{left(call), address});
  BOHR_TRY_STATUS(allocator_.free(address));
  return failed_ ? Status(*failed_) : Status(Nothing{});
}

Status Sim::use_on(uint64_t address, Stream stream) {
  if (failed_) return *failed_;
  return allocator_.record_stream(address, StreamId(stream.value()));
}

Status Sim::begin_pool(Pool pool, uint32_t capture) {
  return allocator_.begin_capture(pool_id(pool), [this, capture](StreamId stream) {
    const auto open = captures_.find(capture);
    return open != captures_.end() && open->second.holds(Stream(stream.value()));
  });
}

// A graph's pool is held by the graph and by the execs that were made of it.
void Sim::let_go(GraphState* graph) {
  if (--graph->holders == 0) allocator_.drop_graph(pool_id(graph->pool));
}

// What the allocator holds at the end, as its snapshot lists it.
void Sim::log_segments() {
  for (const auto& [address, segment] : allocator_.memory().segments())
    log_->append(trace::Segment{.address = address,
                                .bytes = segment.bytes,
                                .stream = number_of(segment.list.stream),
                                .pool_b = number_of(segment.list.pool)});
}

Result<uint64_t> Sim::alloc_host(uint64_t bytes, HostMemory kind, std::string_view name) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  const bool pinned = kind == HostMemory::pinned;
  const uint64_t address = (pinned ? pinned_ : pageable_).take(bytes);
  if (address == 0) return out_of_memory(name, bytes);
  BOHR_TRY_STATUS(take_time(call));
  log_->append(trace::MemAlloc{.call = left(call),
                               .layer = trace::Layer::host,
                               .memory = pinned ? trace::Memory::pinned : trace::Memory::pageable,
                               .address = address,
                               .bytes = bytes});
  name_memory(call.seq, address, name);
  return address;
}

Status Sim::free_host(uint64_t address) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  BOHR_CHECK(pinned_.give_back(address) != 0 || pageable_.give_back(address) != 0);
  BOHR_TRY_STATUS(take_time(call));
  log_->append(trace::MemFree{.call = left(call), .layer = trace::Layer::host, .address = address});
  return Nothing{};
}

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// The pass; see the header for the rules it applies.
#include "order/program_order.h"

#include <map>
#include <string>

#include "order/host_order.h"

namespace bohr::order {

namespace {

// What a stream's next op needs to know of the stream.
struct StreamState {
  Row row;                    // all work so far, waits included
  Position position = 0;      // of its last step
  bool after_kernel = false;  // nothing but records since its last kernel
  Row kernel_start;           // what that kernel's start was ordered after
};

struct ActorState {
  Row row;
  Position position = 0;
};

bool enqueued(const Op& op) {
  switch (op.kind) {
    case OpKind::kernel:
    case OpKind::copy:
    case OpKind::fill:
    case OpKind::callback:
    case OpKind::launch:
    case OpKind::record:
    case OpKind::wait:
    case OpKind::empty:
    case OpKind::child:
    case OpKind::unmodelled:
      return op.stream.valid();
    default:
      return false;
  }
}

class ProgramOrderBuilder {
 public:
  ProgramOrderBuilder(const Program& program, bool strict_threads)
      : program_(program),
        streams_(program.streams.size()),
        actors_(program.actors.size()),
        launches_(static_cast<size_t>(program.exec_count)) {
    result_.chains = static_cast<int32_t>(streams_.size() + actors_.size());
    result_.step.assign(program.ops.size(), -1);
    result_.clocks.reserve(program.ops.size(), static_cast<size_t>(result_.chains));
    observe_host_order_ = program.recorded && !strict_threads && several_threads();
  }

  Result<ProgramOrder> build(size_t most_entries) {
    for (size_t i = 0; i < program_.ops.size(); ++i) {
      const Op& op = program_.ops[i];
      if (op.bound.valid() && op.bound.index() >= i)
        return Error{"op-order", program_.source, "op " + std::to_string(i),
                     "it refers to an op that was issued later",
                     "the trace is damaged or was not made by this tool"};
      add(op, i);
      if (result_.clocks.entries() > most_entries)
        return order_too_large(program_.source, result_.clocks);
    }
    return std::move(result_);
  }

 private:
  bool several_threads() const {
    size_t threads = 0;
    for (const Actor& actor : program_.actors) threads += actor.kind == ActorKind::thread;
    return threads > 1;
  }

  ActorState* actor(const Op& op) {
    return op.actor.valid() ? &actors_[op.actor.index()] : nullptr;
  }
  std::span<const Position> bound_row(const Op& op) const {
    return result_.clocks.row(result_.step[op.bound.index()]);
  }

  void add(const Op& op, size_t index) {
    if (observe_host_order_ && op.actor.valid()) observe(op);
    if (enqueued(op))
      add_stream_op(op, index);
    else if (op.kind == OpKind::alloc || op.kind == OpKind::free || op.kind == OpKind::uses)
      add_allocator_op(op, index);
    else
      add_actor_op(op, index);
    if (observe_host_order_ && op.actor.valid()) host_order_.call(op.exit, actor(op)->row);
  }

  void observe(const Op& op) {
    const Row& known = host_order_.returned_before(op.enter);
    Row& row = actor(op)->row;
    const Row before = row;
    join(row, known);
    if (row != before) result_.used_host_order = true;
  }

  // Legacy-default-stream rules: such a stream waits for the blocking streams of its context, and
  // they for it. Nonblocking streams are exempt.
  void join_legacy(StreamId stream, Row& row) const {
    const Stream& own = program_.streams[stream.index()];
    if (own.kind == StreamKind::nonblocking) return;
    for (size_t i = 0; i < streams_.size(); ++i) {
      const Stream& other = program_.streams[i];
      if (i == stream.index() || other.context != own.context ||
          other.kind == StreamKind::nonblocking)
        continue;
      if (own.kind == StreamKind::legacy || other.kind == StreamKind::legacy)
        join(row, streams_[i].row);
    }
  }

  // A wait that the program did not ask for is noted where it orders something.
  void join_wait(const Op& op, Row& row) {
    const Row before = row;
    join(row, bound_row(op));
    if (op.hidden && program_.recorded && row != before) result_.used_pool_reuse = true;
  }

  void add_stream_op(const Op& op, size_t index) {
    StreamState& stream = streams_[op.stream.index()];
    ActorState* issuer = actor(op);
    Row issued;
    if (issuer) issued = issuer->row;
    join_legacy(op.stream, issued);
    Row row = issued;
    join(row, stream.row);
    if (op.kind == OpKind::wait && op.bound.valid()) join_wait(op, row);
    if (op.kind == OpKind::launch && op.exec.valid()) join(row, launches_[op.exec.index()]);
    if (op.kind == OpKind::copy && op.host_return == HostReturn::after_source_read && issuer)
      add_source_read(op, index, *issuer, row);
    Row start = row;

    const int32_t chain = stream_chain(op.stream);
    const Position position = ++stream.position;
    if (op.kind == OpKind::kernel && op.programmatic && stream.after_kernel) {
      start = issued;
      join(start, stream.kernel_start);
      result_.early_step[static_cast<int32_t>(index)] = result_.clocks.add(chain, position, start);
    }
    set(row, chain, position);
    result_.step[index] = result_.clocks.add(chain, position, row);
    stream.row = row;
    if (op.kind == OpKind::launch && op.exec.valid()) launches_[op.exec.index()] = row;
    if (op.kind != OpKind::record) {
      stream.after_kernel = op.kind == OpKind::kernel;
      if (stream.after_kernel) stream.kernel_start = start;
    }
    if (issuer && op.host_return == HostReturn::after_completion) join(issuer->row, row);
  }

  void add_source_read(const Op& op, size_t index, ActorState& issuer, Row& copy_row) {
    const int32_t chain = actor_chain(program_, op.actor);
    set(issuer.row, chain, ++issuer.position);
    result_.source_step[static_cast<int32_t>(index)] =
        result_.clocks.add(chain, issuer.position, issuer.row);
    join(copy_row, issuer.row);
  }

  // An alloc, free or uses is no work: its step has no place on a chain, only a row, which says
  // what an op of the owner stream would be ordered after if this thread issued it here. The stream
  // that a free was written with has no say in that, unless the memory itself is stream-ordered.
  void add_allocator_op(const Op& op, size_t index) {
    ActorState* issuer = actor(op);
    if (op.lifetime.valid() && program_.lifetimes[op.lifetime.index()].driver)
      order_driver_memory(op, issuer);
    Row row;
    if (issuer) row = issuer->row;
    const bool by_lifetime =
        op.lifetime.valid() && !program_.lifetimes[op.lifetime.index()].stream_ordered;
    const StreamId owner = by_lifetime ? program_.lifetimes[op.lifetime.index()].owner : op.stream;
    if (owner.valid()) {
      join(row, streams_[owner.index()].row);
      join_legacy(owner, row);
    }
    result_.step[index] = result_.clocks.add(-1, 0, row);
  }

  // What was issued before a driver free is done before the driver hands the bytes out again.
  void order_driver_memory(const Op& op, ActorState* issuer) {
    const Lifetime& lifetime = program_.lifetimes[op.lifetime.index()];
    if (lifetime.pieces.empty()) return;
    const ByteRange range = lifetime.pieces.front().range;
    if (op.kind == OpKind::free) {
      Row all;
      for (const StreamState& stream : streams_) join(all, stream.row);
      freed_[range.begin] = {range, std::move(all)};
      return;
    }
    auto it = freed_.upper_bound(range.begin);
    if (it != freed_.begin()) --it;
    while (it != freed_.end() && it->first < range.end) {
      if (!it->second.range.overlaps(range)) {
        ++it;
        continue;
      }
      if (issuer) join(issuer->row, it->second.row);
      result_.used_driver_reuse = true;
      it = freed_.erase(it);
    }
  }

  void add_actor_op(const Op& op, size_t index) {
    ActorState* issuer = actor(op);
    if (!issuer) {
      result_.step[index] = result_.clocks.add(-1, 0, {});
      return;
    }
    if (op.kind == OpKind::sync_stream && op.target.valid())
      join(issuer->row, streams_[op.target.index()].row);
    if ((op.kind == OpKind::sync_event || op.kind == OpKind::await) && op.bound.valid())
      join(issuer->row, bound_row(op));
    if (op.kind == OpKind::sync_device) join_device(op, issuer->row);
    const int32_t chain = actor_chain(program_, op.actor);
    set(issuer->row, chain, ++issuer->position);
    result_.step[index] = result_.clocks.add(chain, issuer->position, issuer->row);
  }

  // All streams, or those of the target's context where the op names one.
  void join_device(const Op& op, Row& row) const {
    for (size_t i = 0; i < streams_.size(); ++i) {
      if (op.target.valid() &&
          program_.streams[i].context != program_.streams[op.target.index()].context)
        continue;
      join(row, streams_[i].row);
    }
  }

  void set(Row& row, int32_t chain, Position position) const {
    if (row.size() < static_cast<size_t>(result_.chains))
      row.resize(static_cast<size_t>(result_.chains), 0);
    row[static_cast<size_t>(chain)] = position;
  }

  struct Freed {
    ByteRange range;
    Row row;
  };

  const Program& program_;
  ProgramOrder result_;
  std::vector<StreamState> streams_;
  std::vector<ActorState> actors_;
  std::vector<Row> launches_;  // last launch of each exec
  std::map<uint64_t, Freed> freed_;
  HostOrder host_order_;
  bool observe_host_order_ = false;
};

}  // namespace

Result<ProgramOrder> program_order(const Program& program, bool strict_threads,
                                   size_t most_entries) {
  return ProgramOrderBuilder(program, strict_threads).build(most_entries);
}

}  // namespace bohr::order

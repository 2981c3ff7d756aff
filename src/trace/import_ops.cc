// SPDX-License-Identifier: Apache-2.0
#include "trace/import_ops.h"

#include <algorithm>
#include <string>

#include "trace/import_accesses.h"

namespace bohr::trace {

namespace {

HostReturn host_return(Return returned) {
  switch (returned) {
    case Return::after_source_read:
      return HostReturn::after_source_read;
    case Return::after_completion:
      return HostReturn::after_completion;
    default:
      return HostReturn::at_once;
  }
}

}  // namespace

Ops::Ops(ImportState& state, GraphPlans& plans, Captures& captures)
    : state_(state), plans_(plans), captures_(captures) {
  for (const Record& record : state.log.records)
    if (const Exec* exec = std::get_if<Exec>(&record))
      if (!execs_.count(exec->exec))
        execs_[exec->exec] = make_exec(exec->exec, unread_graph(state, plans, exec->graph));
}

Ops::ExecState Ops::make_exec(uint32_t number, GraphId graph) {
  state_.program.recorded_execs.push_back(number);
  return {ExecId(state_.program.exec_count++), graph};
}

Op Ops::op(OpKind kind, const Call& call, uint32_t stream) {
  Op op;
  op.kind = kind;
  op.actor = state_.tables.thread(call.thread);
  op.stream = state_.tables.stream(stream, call.seq);
  op.stack = state_.tables.stack(call.stack);
  op.enter = to_place(call.seq);
  op.exit = to_place(std::max(call.seq, call.exit));
  op.access_begin = static_cast<uint32_t>(state_.program.accesses.size());
  return op;
}

void Ops::add(const Kernel& record) {
  Op kernel = op(OpKind::kernel, record.call, record.stream);
  kernel.programmatic = (record.attributes & kAttributeProgrammatic) != 0;
  if (!add_known_accesses(state_, {}, {0, 0, record.call.seq}, record.call.seq, &kernel))
    add_kernel_accesses(state_, {}, record.function, record.form, record.params, record.call.seq,
                        &kernel);
  else
    kernel.label = kernel_info(state_, record.function).label;
  push(kernel);
}

void Ops::add(const Copy& record) {
  Op copy = op(OpKind::copy, record.call, record.stream);
  const Transfer transfer = transfer_of(record);
  copy.host_return = host_return(record.returned);
  copy.label = copy_label(state_, transfer);
  add_copy_accesses(state_, {}, transfer, record.call.seq, &copy);
  push(copy);
}

void Ops::add(const Set& record) {
  Op fill = op(OpKind::fill, record.call, record.stream);
  Transfer transfer;
  transfer.dst = record.dst;
  transfer.width = record.width;
  transfer.height = record.height;
  transfer.dst_pitch = record.pitch;
  fill.host_return = host_return(record.returned);
  fill.label = state_.tables.name("memset");
  add_set_accesses(state_, {}, transfer, record.call.seq, &fill);
  push(fill);
}

void Ops::add(const HostFunc& record) {
  Op callback = op(OpKind::callback, record.call, record.stream);
  callback.unknown =
      !add_known_accesses(state_, {}, {0, 0, record.call.seq}, record.call.seq, &callback);
  callback.label = state_.tables.name("host function");
  push(callback);
}

void Ops::add(const Unmodelled& record) {
  if (record.stream != 0 && captures_.unmodelled(record)) return;
  Op unmodelled = op(OpKind::unmodelled, record.call, record.stream);
  const std::string_view api = text_of(state_.log, record.api.id);
  unmodelled.label = state_.tables.name(api);
  unmodelled.order_unknown = record.synchronises;
  unmodelled.unknown = !record.synchronises;
  if (record.synchronises)
    state_.diagnostics.add_order_lost("unmodelled-synchronisation", api, record.call.seq);
  else
    state_.diagnostics.add("unknown-access", api, record.call.seq);
  push(unmodelled);
}

void Ops::add(const HostWrite& record) {
  Op write = op(OpKind::touch, record.call, 0);
  Transfer transfer;
  transfer.dst = record.address;
  transfer.width = record.bytes;
  transfer.dst_memory = record.memory;
  write.label = state_.tables.name("host write");
  add_set_accesses(state_, {}, transfer, record.call.seq, &write);
  for (size_t i = write.access_begin; i < state_.program.accesses.size(); ++i)
    state_.program.accesses[i].source = AccessSource::observed;
  push(write);
}

void Ops::add(const EventRecord& record) {
  const EventVersion version{record.event, record.version};
  if (record.external) in_graphs_.insert(version);
  if (record.capture != 0) {
    captures_.record(record);
    return;
  }
  records_[version] = push(op(OpKind::record, record.call, record.stream));
}

void Ops::bind(uint32_t event, uint64_t version, uint64_t seq, Op* op) {
  if (version == 0) return;  // never recorded: orders nothing
  const auto it = records_.find({event, version});
  if (it != records_.end()) {
    op->bound = it->second;
    return;
  }
  // Its record was dropped with all other work of its time, so it orders nothing that is there.
  if (state_.index.older_dropped && version != kUnknownVersion &&
      in_graphs_.count({event, version}) == 0)
    return;
  op->order_unknown = true;
  if (in_graphs_.count({event, version}) != 0)
    state_.diagnostics.add_order_lost("foreign-event", "an event that a graph records", seq);
  else if (version == kUnknownVersion)
    state_.diagnostics.add_order_lost("attached-late", "an event recorded before recording began",
                                      seq);
  else
    state_.diagnostics.add_order_lost("lost-records", "an event whose record was not seen", seq);
}

void Ops::add(const EventWait& record) {
  if (record.capture != 0) {
    captures_.wait(record);
    return;
  }
  Op wait = op(OpKind::wait, record.call, record.stream);
  bind(record.event, record.version, record.call.seq, &wait);
  push(wait);
}

// False where nothing was issued to the context, so that there is nothing to wait for.
bool Ops::wait_for_context(const HostSync& record, Op* sync) {
  sync->target = state_.tables.stream_of_context(record.context);
  if (sync->target.valid()) return true;
  if (record.context != 0 && state_.tables.contexts_known()) return false;
  // Without a target it covers all streams, which is right where there is one context.
  if (record.context == 0 && state_.tables.one_context()) return true;
  sync->kind = OpKind::unmodelled;
  sync->order_unknown = true;
  state_.diagnostics.add_order_lost("lost-records", "a wait for an unknown context",
                                    record.call.seq);
  return true;
}

void Ops::add(const HostSync& record) {
  Op sync = op(OpKind::sync_device, record.call, 0);
  switch (record.what) {
    case SyncKind::stream:
    case SyncKind::stream_query:
      sync.kind = OpKind::sync_stream;
      sync.target = state_.tables.stream(record.stream, record.call.seq);
      break;
    case SyncKind::event:
    case SyncKind::event_query:
      sync.kind = OpKind::sync_event;
      bind(record.event, record.version, record.call.seq, &sync);
      break;
    default:
      if (!wait_for_context(record, &sync)) return;
  }
  push(sync);
}

void Ops::add(const HostAccess& record) {
  Op touch = op(OpKind::touch, record.call, 0);
  touch.label = state_.tables.name("host access");
  add_known_accesses(state_, {}, {0, 0, record.call.seq}, record.call.seq, &touch);
  push(touch);
}

Ops::ExecState& Ops::exec(uint32_t number) {
  const auto it = execs_.find(number);
  if (it != execs_.end()) return it->second;
  ExecState state = make_exec(number, unread_graph(state_, plans_, 0));
  state.unread = true;
  return execs_.emplace(number, state).first->second;
}

void Ops::add(const ExecChange& record) {
  ExecState& changed = exec(record.exec);
  const auto graph = plans_.by_number.find(record.graph);
  changed.unread = record.graph == 0 || graph == plans_.by_number.end();
  if (!changed.unread) changed.graph = graph->second;
}

void Ops::add(const Launch& record) {
  const ExecState& launched = exec(record.exec);
  Op launch = op(OpKind::launch, record.call, record.stream);
  launch.exec = launched.id;
  launch.graph = launched.graph;
  const bohr::Graph& graph = state_.program.graphs[launched.graph.index()];
  launch.unknown = launched.unread || (graph.nodes.empty() && !graph.fully_read);
  launch.label = state_.tables.name(graph.name);
  if (launch.unknown)
    state_.diagnostics.add("unknown-access", "launches of graphs that were not read as they ran",
                           record.call.seq);
  push(launch);
}

}  // namespace bohr::trace

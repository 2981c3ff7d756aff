// SPDX-License-Identifier: Apache-2.0
// Actions of streams, threads and agents; alloc, free and uses are in case_lifetimes.cc.
#include <string>

#include "trace/case_builder.h"
#include "trace/case_verbs.h"

namespace bohr::trace::text {

namespace {

Error wrong_verb(const Statement& statement, const char* subject) {
  return case_error("case-syntax", statement.line,
                    std::string(subject) + " cannot " + verb_word(statement.verb),
                    "docs/case-format.md lists the verbs of streams, threads and agents");
}

// When a copy's call returns. What is pageable goes through the host: its source is read before
// the call returns, and a pageable target is written.
HostReturn host_return(MemoryKind source, MemoryKind target) {
  if (target == MemoryKind::pageable) return HostReturn::after_completion;
  if (source == MemoryKind::pageable) return HostReturn::after_source_read;
  return HostReturn::at_once;
}

}  // namespace

OpId Builder::push(const Op& op) {
  const OpId id(program_.ops.size());
  program_.ops.push_back(op);
  return id;
}

Status Builder::act(const Statement& statement) {
  const Named* subject = names_.find(statement.subject);
  if (subject == nullptr) {
    return unknown_name(statement.subject, "a stream, a thread or an agent", statement.line);
  }
  switch (subject->kind) {
    case NameKind::stream:
      return act_on_stream(statement, StreamId(subject->index));
    case NameKind::thread:
      return act_on_actor(statement, ActorId(subject->index), ActorKind::thread);
    case NameKind::agent:
      return act_on_actor(statement, ActorId(subject->index), ActorKind::agent);
    default:
      return unknown_name(statement.subject, "a stream, a thread or an agent", statement.line);
  }
}

Status Builder::act_on_stream(const Statement& statement, StreamId stream) {
  Op op;
  op.kind = statement.verb;
  op.stream = stream;
  op.enter = op.exit = statement.line;
  op.actor = ActorId(0);
  if (!statement.issuer.empty()) {
    BOHR_TRY(issuer, names_.get(statement.issuer, NameKind::thread, statement.line));
    op.actor = ActorId(issuer);
  }
  switch (statement.verb) {
    case OpKind::kernel:
    case OpKind::copy:
    case OpKind::fill:
    case OpKind::callback:
      return add_work(statement, op);
    case OpKind::record:
      return record(statement, op);
    case OpKind::wait:
      return wait(statement, op);
    case OpKind::launch:
      return launch(statement, op);
    case OpKind::alloc:
      return alloc(statement, op);
    case OpKind::free:
      return free(statement, op);
    case OpKind::uses:
      return uses(statement, op);
    default:
      return wrong_verb(statement, "a stream");
  }
}

Status Builder::act_on_actor(const Statement& statement, ActorId actor, ActorKind kind) {
  if (!statement.issuer.empty()) {
    return case_error("case-syntax", statement.line, "@ names who issues a stream action",
                      "write '" + std::string(statement.subject) + ": …' without @");
  }
  Op op;
  op.kind = statement.verb;
  op.actor = actor;
  op.enter = op.exit = statement.line;
  switch (statement.verb) {
    case OpKind::sync_device:
      if (kind == ActorKind::thread) return sync(statement, op);
      return wrong_verb(statement, "an agent");
    case OpKind::touch:
      BOHR_TRY_STATUS(add_label(statement, &op));
      BOHR_TRY_STATUS(add_accesses(statement, &op));
      push(op);
      return Nothing{};
    case OpKind::signal:
    case OpKind::await:
      return signal(statement, op);
    default:
      return wrong_verb(statement, kind == ActorKind::thread ? "a thread" : "an agent");
  }
}

Status Builder::add_label(const Statement& statement, Op* op) {
  Label label{statement.line, GraphId()};
  if (op->stream.valid() && capture_) label.graph = capture_->id();
  const auto [entry, fresh] = labels_.emplace(statement.name, label);
  if (!fresh) {
    return case_error("case-duplicate", statement.line,
                      "label '" + std::string(statement.name) + "' stands on line " +
                          std::to_string(entry->second.line) + " already",
                      "labels are unique; choose another");
  }
  op->label = NameId(program_.names.size());
  program_.names.emplace_back(statement.name);
  return Nothing{};
}

// Into the table beside the op: the graph's for what a stream does in a capture.
Status Builder::add_accesses(const Statement& statement, Op* op) {
  const bool node = op->stream.valid() && capture_;
  std::vector<Access>& accesses = node ? capture_->graph().accesses : program_.accesses;
  op->access_begin = static_cast<uint32_t>(accesses.size());
  for (const Clause& clause : statement.clauses) {
    BOHR_TRY(part, memory_.resolve(clause.range, statement.line));
    const bool early = clause.early && statement.programmatic;
    const size_t first = accesses.size();
    BOHR_TRY_STATUS(memory_.add_accesses(part, clause.mode, early, statement.line, &accesses));
    if (op->kind != OpKind::copy && op->kind != OpKind::fill) continue;
    for (size_t i = first; i < accesses.size(); ++i) accesses[i].source = AccessSource::copy;
  }
  op->access_count = static_cast<uint32_t>(accesses.size()) - op->access_begin;
  return Nothing{};
}

Status Builder::add_work(const Statement& statement, Op op) {
  op.programmatic = statement.programmatic;
  op.unknown = statement.unknown;
  BOHR_TRY_STATUS(add_label(statement, &op));
  BOHR_TRY_STATUS(add_accesses(statement, &op));
  if (capture_) return capture_->add_node(op, statement.line);
  if (op.kind == OpKind::copy) {
    BOHR_TRY(source, memory_.resolve(statement.clauses[0].range, statement.line));
    BOHR_TRY(target, memory_.resolve(statement.clauses[1].range, statement.line));
    op.host_return = host_return(program_.lifetimes[source.lifetime.index()].memory,
                                 program_.lifetimes[target.lifetime.index()].memory);
  }
  push(op);
  return Nothing{};
}

Status Builder::record(const Statement& statement, const Op& op) {
  const Named* named = names_.find(statement.name);
  if (named != nullptr && named->kind == NameKind::stream) {
    return case_error("case-duplicate", statement.line,
                      "'" + std::string(statement.name) + "' is a stream, not an event",
                      "choose another name for the event");
  }
  Event& event = events_[statement.name];
  event = {};
  event.recorded = true;
  if (capture_) {
    event.graph = capture_->id();
    event.frontier = capture_->frontier(op.stream);
  } else {
    event.op = push(op);
  }
  return Nothing{};
}

Status Builder::wait(const Statement& statement, Op op) {
  const Event& event = events_[statement.name];
  if (!capture_) {
    op.bound = event.op;
    push(op);
    return Nothing{};
  }
  if (event.recorded && event.graph == capture_->id()) {
    return capture_->wait(op.stream, event.frontier, statement.line);
  }
  capture_->wait_for_nothing(op.stream);
  return Nothing{};
}

Status Builder::launch(const Statement& statement, Op op) {
  if (capture_) {
    return case_error("case-capture", statement.line, "a launch cannot be captured",
                      "launch '" + std::string(statement.name) + "' after the end of '" +
                          std::string(capture_name_) + "'");
  }
  BOHR_TRY(graph, names_.get(statement.name, NameKind::graph, statement.line));
  op.graph = GraphId(graph);
  op.exec = ExecId(graph);
  ++launches_[static_cast<size_t>(graph)];
  push(op);
  return Nothing{};
}

Status Builder::sync(const Statement& statement, Op op) {
  if (capture_) {
    return case_error("case-capture", statement.line, "a thread cannot sync during a capture",
                      "move the sync before the capture or after its end");
  }
  if (statement.name == "device") {
    op.kind = OpKind::sync_device;
    push(op);
    return Nothing{};
  }
  const Named* named = names_.find(statement.name);
  if (named != nullptr && named->kind == NameKind::stream) {
    op.kind = OpKind::sync_stream;
    op.target = StreamId(named->index);
    push(op);
    return Nothing{};
  }
  op.kind = OpKind::sync_event;
  const auto event = events_.find(statement.name);
  if (event == events_.end()) {
    syncs_.push_back({statement.name, statement.line, false});
  } else {
    op.bound = event->second.op;
  }
  push(op);
  return Nothing{};
}

Status Builder::signal(const Statement& statement, Op op) {
  if (op.kind == OpKind::signal) {
    tokens_[statement.name] = push(op);
    return Nothing{};
  }
  const auto token = tokens_.find(statement.name);
  if (token == tokens_.end()) {
    return case_error("case-await", statement.line,
                      "'" + std::string(statement.name) + "' is not signalled before",
                      "signal it on an earlier line");
  }
  op.bound = token->second;
  push(op);
  return Nothing{};
}

}  // namespace bohr::trace::text

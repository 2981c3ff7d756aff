// SPDX-License-Identifier: Apache-2.0
// alloc, free and uses.
//
// Outside captures, `uses` makes the allocator wait: where the block is freed it records each
// other stream that uses it (a hidden record, after the work issued there so far), and where its
// bytes are handed out again it lets the new owner's stream wait for those (hidden waits before
// the alloc). In a capture there is no such wait, because there is no reuse before its end; the
// mark of the free names the frontiers of the using streams instead.
#include <string>

#include "trace/case_builder.h"

namespace bohr::trace::text {

namespace {
constexpr uint64_t kOpWeight = 4;  // an op takes the room of about four accesses
}  // namespace

Point Builder::here() const {
  if (capture_) {
    const bohr::Graph& graph = program_.graphs.back();
    return {capture_->id(), static_cast<int32_t>(graph.nodes.size())};
  }
  return {GraphId(), static_cast<int32_t>(program_.ops.size())};
}

Result<LifetimeId> Builder::allocation(std::string_view name, const Statement& statement) const {
  BOHR_TRY(index, names_.get(name, NameKind::lifetime, statement.line));
  const LifetimeId id(index);
  if (!program_.lifetimes[id.index()].buffer) return id;
  return case_error("case-lifetime", statement.line,
                    "'" + std::string(name) + "' is a buffer, which lives throughout",
                    "use alloc for memory that is freed and reused");
}

Status Builder::alloc(const Statement& statement, Op op) {
  const LifetimeId id(program_.lifetimes.size());
  BOHR_TRY_STATUS(names_.declare(statement.name, {NameKind::lifetime, id.value(), statement.line}));
  if (statement.size == 0) {
    return case_error("case-size", statement.line, "an allocation has at least one byte",
                      "use a size above 0");
  }
  Lifetime lifetime;
  lifetime.name = statement.name;
  lifetime.bytes = statement.size;
  lifetime.owner = op.stream;
  if (!statement.pool.empty()) {
    BOHR_TRY(pool, names_.get(statement.pool, NameKind::pool, statement.line));
    lifetime.pool = PoolId(pool);
  }
  program_.lifetimes.push_back(std::move(lifetime));
  lifetimes_.emplace_back();
  if (statement.other.empty()) {
    BOHR_TRY_STATUS(memory_.place(id, statement.line));
  } else {
    BOHR_TRY_STATUS(alloc_over(statement, id, op));
  }
  program_.lifetimes[id.index()].alloc = here();
  op.lifetime = id;
  if (capture_) return capture_->mark(MarkKind::alloc, id, {op.stream}, statement.line);
  push(op);
  return Nothing{};
}

Status Builder::alloc_over(const Statement& statement, LifetimeId id, const Op& op) {
  BOHR_TRY(old, allocation(statement.other, statement));
  const LifetimeState& state = lifetimes_[old.index()];
  if (!state.freed) {
    return case_error("case-reuse", statement.line,
                      "'" + std::string(statement.other) + "' is not freed",
                      "free it on an earlier line");
  }
  if (capture_ && state.captured.graph == capture_->id()) {
    return case_error("case-reuse", statement.line,
                      "'" + std::string(statement.other) + "' is used on '" +
                          program_.streams[state.captured.stream.index()].name +
                          "' in this capture",
                      "a block with uses on another stream is not reused before the capture ends");
  }
  BOHR_TRY_STATUS(memory_.place_over(id, old, statement.offset, statement.line));
  for (const OpId used : program_.lifetimes[old.index()].use_records) {
    if (program_.ops[used.index()].stream == op.stream) continue;
    BOHR_TRY_STATUS(budget_.take(kOpWeight, statement.line));
    Op wait = op;
    wait.kind = OpKind::wait;
    wait.hidden = true;
    wait.bound = used;
    push(wait);
  }
  return Nothing{};
}

// One hidden record per stream that uses the block outside the capture at hand.
Status Builder::record_uses(LifetimeId id, const Op& op, int32_t line) {
  StreamId recorded;
  for (const Use& use : lifetimes_[id.index()].uses) {
    if (use.stream == recorded || (capture_ && use.graph == capture_->id())) continue;
    recorded = use.stream;
    BOHR_TRY_STATUS(budget_.take(kOpWeight, line));
    Op record = op;
    record.kind = OpKind::record;
    record.hidden = true;
    record.stream = use.stream;
    const OpId made = push(record);
    program_.lifetimes[id.index()].use_records.push_back(made);
  }
  return Nothing{};
}

Status Builder::free(const Statement& statement, Op op) {
  BOHR_TRY(id, allocation(statement.name, statement));
  LifetimeState& state = lifetimes_[id.index()];
  if (state.freed) {
    return case_error("case-lifetime", statement.line,
                      "'" + std::string(statement.name) + "' is freed already", "free it once");
  }
  state.freed = true;
  memory_.free(id);
  BOHR_TRY_STATUS(record_uses(id, op, statement.line));
  Lifetime& lifetime = program_.lifetimes[id.index()];
  lifetime.free = here();
  op.lifetime = id;
  op.stream = lifetime.owner;  // whose next op may be handed the bytes
  if (!capture_) {
    push(op);
    return Nothing{};
  }
  std::vector<StreamId> streams = {lifetime.owner};
  for (const Use& use : state.uses) streams.push_back(use.stream);
  return capture_->mark(MarkKind::free, id, streams, statement.line);
}

Status Builder::uses(const Statement& statement, Op op) {
  BOHR_TRY(id, allocation(statement.name, statement));
  LifetimeState& state = lifetimes_[id.index()];
  if (state.freed) {
    return case_error("case-lifetime", statement.line,
                      "'" + std::string(statement.name) + "' is freed already",
                      "tell the allocator of the use before the free");
  }
  op.lifetime = id;
  const GraphId graph = capture_ ? capture_->id() : GraphId();
  if (!capture_) push(op);
  if (op.stream == program_.lifetimes[id.index()].owner) return Nothing{};
  state.uses.insert({op.stream, graph});
  if (graph.valid()) state.captured = {op.stream, graph};
  return Nothing{};
}

}  // namespace bohr::trace::text

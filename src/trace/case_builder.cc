// SPDX-License-Identifier: Apache-2.0
// Declarations and captures of a case.
#include "trace/case_builder.h"

#include <string>

namespace bohr::trace::text {

Builder::Builder(const std::string& source, size_t text_bytes)
    : budget_(text_bytes), memory_(&program_, names_, &budget_) {
  program_.source = source;
  program_.actors.push_back({"host", ActorKind::thread});
  BOHR_CHECK(names_.declare("host", {NameKind::thread, 0, 0}).ok());
}

Status Builder::add(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::version:
      return case_error("case-syntax", statement.line, "'case' stands twice",
                        "the version is the first statement, once");
    case StatementKind::action:
      return act(statement);
    case StatementKind::capture:
      return begin_capture(statement);
    case StatementKind::end:
      return end_capture(statement);
    case StatementKind::expect:
      program_.expectations.push_back(statement.expectation);
      return Nothing{};
    default:
      return declare(statement);
  }
}

Status Builder::declare(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::stream:
      return declare_stream(statement);
    case StatementKind::thread:
      return declare_actor(statement, ActorKind::thread);
    case StatementKind::agent:
      return declare_actor(statement, ActorKind::agent);
    case StatementKind::buffer:
      return declare_buffer(statement);
    case StatementKind::view:
      return declare_view(statement);
    case StatementKind::pool:
      program_.pools.push_back({std::string(statement.name)});
      return names_.declare(
          statement.name,
          {NameKind::pool, static_cast<int32_t>(program_.pools.size()) - 1, statement.line});
    default:
      outputs_.push_back({statement.name, statement.line, statement.kind == StatementKind::live});
      return Nothing{};
  }
}

Status Builder::declare_stream(const Statement& statement) {
  const bool legacy = statement.stream_kind == StreamKind::legacy;
  if (legacy && legacy_) {
    return case_error("case-duplicate", statement.line, "there is one legacy default stream",
                      "use the name that is declared already");
  }
  legacy_ = legacy_ || legacy;
  const auto index = static_cast<int32_t>(program_.streams.size());
  program_.streams.push_back({std::string(statement.name), statement.stream_kind, 0});
  return names_.declare(statement.name, {NameKind::stream, index, statement.line});
}

Status Builder::declare_actor(const Statement& statement, ActorKind kind) {
  const NameKind name = kind == ActorKind::thread ? NameKind::thread : NameKind::agent;
  const auto index = static_cast<int32_t>(program_.actors.size());
  program_.actors.push_back({std::string(statement.name), kind});
  return names_.declare(statement.name, {name, index, statement.line});
}

Status Builder::declare_buffer(const Statement& statement) {
  const LifetimeId id(program_.lifetimes.size());
  BOHR_TRY_STATUS(names_.declare(statement.name, {NameKind::lifetime, id.value(), statement.line}));
  if (statement.size == 0) {
    return case_error("case-size", statement.line, "a buffer has at least one byte",
                      "use a size above 0");
  }
  Lifetime lifetime;
  lifetime.name = statement.name;
  lifetime.bytes = statement.size;
  lifetime.memory = statement.memory;
  lifetime.buffer = true;
  program_.lifetimes.push_back(std::move(lifetime));
  lifetimes_.emplace_back();
  return memory_.place(id, statement.line);
}

Status Builder::declare_view(const Statement& statement) {
  BOHR_TRY(part, memory_.resolve(statement.range, statement.line));
  const auto index = static_cast<int32_t>(program_.views.size());
  program_.views.push_back({std::string(statement.name), part.lifetime, part.begin, part.end});
  return names_.declare(statement.name, {NameKind::view, index, statement.line});
}

Status Builder::begin_capture(const Statement& statement) {
  if (capture_) {
    return case_error("case-capture", statement.line,
                      "'" + std::string(capture_name_) + "' is still being captured",
                      "end it first; captures do not nest");
  }
  BOHR_TRY_STATUS(names_.get(statement.other, NameKind::stream, statement.line));
  const GraphId id(program_.graphs.size());
  BOHR_TRY_STATUS(names_.declare(statement.name, {NameKind::graph, id.value(), statement.line}));
  bohr::Graph graph;  // records have one of their own
  graph.name = statement.name;
  graph.begin = here();
  program_.graphs.push_back(std::move(graph));
  launches_.push_back(0);
  program_.exec_count = static_cast<int32_t>(program_.graphs.size());
  capture_.emplace(&program_.graphs.back(), id, &budget_);
  capture_name_ = statement.name;
  return Nothing{};
}

Status Builder::end_capture(const Statement& statement) {
  if (!capture_ || statement.name != capture_name_) {
    return case_error("case-capture", statement.line,
                      "'" + std::string(statement.name) + "' is not being captured",
                      "'end G' closes 'capture G on STREAM'");
  }
  capture_.reset();
  program_.graphs.back().end = here();
  return Nothing{};
}

Status Builder::finish(int32_t last_line) {
  if (capture_) {
    return case_error("case-capture", last_line,
                      "the capture of '" + std::string(capture_name_) + "' does not end",
                      "add 'end " + std::string(capture_name_) + "'");
  }
  BOHR_TRY_STATUS(finish_syncs());
  BOHR_TRY_STATUS(finish_outputs());
  return check_expectations();
}

// An event may be waited for before it was recorded, but a name that is never recorded is more
// likely a stream misspelt.
Status Builder::finish_syncs() const {
  for (const Later& sync : syncs_) {
    if (events_.count(sync.name) != 0) continue;
    return unknown_name(sync.name, "a stream or an event", sync.line);
  }
  return Nothing{};
}

Status Builder::finish_outputs() {
  for (const Later& output : outputs_) {
    BOHR_TRY(index, names_.get(output.name, NameKind::lifetime, output.line));
    Lifetime& lifetime = program_.lifetimes[static_cast<size_t>(index)];
    (output.live ? lifetime.live : lifetime.scratch) = true;
    if (!lifetime.live || !lifetime.scratch) continue;
    return case_error("case-duplicate", output.line,
                      "'" + lifetime.name + "' is declared live and scratch", "keep one of them");
  }
  return Nothing{};
}

}  // namespace bohr::trace::text

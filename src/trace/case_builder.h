// SPDX-License-Identifier: Apache-2.0
// Turns the statements of a case, one after the other, into a program: names become ids, waits and
// awaits are bound, captures become graphs, and what the allocator does on account of `uses`
// becomes hidden records and waits.
#pragma once

#include <compare>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "trace/case_budget.h"
#include "trace/case_capture.h"
#include "trace/case_memory.h"
#include "trace/case_names.h"
#include "trace/case_statement.h"

namespace bohr::trace::text {

class Builder {
 public:
  Builder(const std::string& source, size_t text_bytes);

  Status add(const Statement& statement);

  // After the last statement: what needs the whole case.
  Status finish(int32_t last_line);

  Program take() { return std::move(program_); }

 private:
  // case_builder.cc
  Status declare(const Statement& statement);
  Status declare_stream(const Statement& statement);
  Status declare_actor(const Statement& statement, ActorKind kind);
  Status declare_buffer(const Statement& statement);
  Status declare_view(const Statement& statement);
  Status begin_capture(const Statement& statement);
  Status end_capture(const Statement& statement);
  Status finish_outputs();
  Status finish_syncs() const;

  // case_actions.cc
  Status act(const Statement& statement);
  Status act_on_stream(const Statement& statement, StreamId stream);
  Status act_on_actor(const Statement& statement, ActorId actor, ActorKind kind);
  Status add_work(const Statement& statement, Op op);
  Status add_label(const Statement& statement, Op* op);
  Status add_accesses(const Statement& statement, Op* op);
  Status record(const Statement& statement, const Op& op);
  Status wait(const Statement& statement, Op op);
  Status launch(const Statement& statement, Op op);
  Status sync(const Statement& statement, Op op);
  Status signal(const Statement& statement, Op op);
  OpId push(const Op& op);

  // case_lifetimes.cc
  Status alloc(const Statement& statement, Op op);
  Status alloc_over(const Statement& statement, LifetimeId lifetime, const Op& op);
  Status free(const Statement& statement, Op op);
  Status uses(const Statement& statement, Op op);
  Result<LifetimeId> allocation(std::string_view name, const Statement& statement) const;
  Status record_uses(LifetimeId lifetime, const Op& op, int32_t line);
  Point here() const;

  // case_expect_names.cc
  Status check_expectations() const;
  Status check_expectation(const Expectation& expectation) const;
  Status check_label(const std::string& label, int32_t line) const;
  Status check_freed(const std::string& name, int32_t line) const;

  // The newest record of an event. `op` is invalid when it was never recorded, or in a capture;
  // then `graph` and `frontier` say where.
  struct Event {
    bool recorded = false;
    OpId op;
    GraphId graph;
    Frontier frontier;
  };
  struct Use {
    StreamId stream;
    GraphId graph;  // the capture in which `uses` stands, if it does
    auto operator<=>(const Use&) const = default;
  };
  struct LifetimeState {
    bool freed = false;
    std::set<Use> uses;  // on other streams than the owner
    Use captured;        // the newest of them that stands in a capture
  };
  struct Later {
    std::string_view name;
    int32_t line = 0;
    bool live = false;
  };
  struct Label {
    int32_t line = 0;
    GraphId graph;
  };

  Program program_;
  Names names_;
  Budget budget_;
  Memory memory_;
  std::optional<Capture> capture_;
  std::string_view capture_name_;
  std::unordered_map<std::string_view, Label> labels_;
  std::unordered_map<std::string_view, Event> events_;
  std::unordered_map<std::string_view, OpId> tokens_;
  std::vector<LifetimeState> lifetimes_;
  std::vector<int32_t> launches_;  // by graph
  std::vector<Later> outputs_;     // `live` and `scratch`: they may name what comes later
  std::vector<Later> syncs_;       // on names that no record was seen of yet
  bool legacy_ = false;
};

}  // namespace bohr::trace::text

// SPDX-License-Identifier: Apache-2.0
// A table says which classes a reason concerns; a reason that is not in it concerns all of them.
#include "check/coverage.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "check/uses.h"

namespace bohr::check {

namespace {

using Classes = uint32_t;
constexpr Classes of(HazardClass cls) { return 1u << static_cast<uint32_t>(cls); }
constexpr Classes kAll = (1u << kHazardClasses) - 1;
constexpr Classes kMemory =
    of(HazardClass::reuse) | of(HazardClass::lifetime) | of(HazardClass::pool);
constexpr Classes kDevice = kMemory | of(HazardClass::data) | of(HazardClass::launch);

struct Row {
  std::string_view reason;
  Classes classes;
};

constexpr Row kReasons[] = {
    {"note", 0},
    {"allocator-order-unknown", kMemory},
    {"allocator-unknown", kMemory},
    {"free-order-unknown", of(HazardClass::lifetime)},
    {"programmatic-edge", kDevice & ~of(HazardClass::lifetime)},
    {"params-only", kDevice},
    {"unknown-allocation", of(HazardClass::data) | of(HazardClass::launch)},
    {"peer-communication", of(HazardClass::external)},
    {"foreign-writer", of(HazardClass::external)},
    {"host-accesses-unseen", of(HazardClass::host)},
};

Classes classes_of(std::string_view reason) {
  for (const Row& row : kReasons)
    if (row.reason == reason) return row.classes;
  return kAll;
}

class Builder {
 public:
  void undecided(Classes classes, const std::string& reason, int64_t count) {
    note(classes, reason, CoverageState::undecided, count);
  }
  void not_checked(Classes classes, const std::string& reason) {
    note(classes, reason, CoverageState::not_checked, 0);
  }
  void examined(HazardClass cls, int64_t count) {
    result_[static_cast<size_t>(cls)].examined += count;
  }
  std::array<Coverage, kHazardClasses> take() { return std::move(result_); }

 private:
  void note(Classes classes, const std::string& reason, CoverageState state, int64_t count) {
    for (size_t i = 0; i < kHazardClasses; ++i) {
      if (!(classes & (1u << i))) continue;
      Coverage& coverage = result_[i];
      coverage.state = std::max(coverage.state, state);
      coverage.count += count;
      const auto at = std::lower_bound(coverage.reasons.begin(), coverage.reasons.end(), reason);
      if (at == coverage.reasons.end() || *at != reason) coverage.reasons.insert(at, reason);
    }
  }
  std::array<Coverage, kHazardClasses> result_;
};

template <class Visit>
void for_each_op(const Program& program, Visit&& visit) {
  for (const Op& op : program.ops) visit(op);
  for (const Graph& graph : program.graphs)
    for (const Op& op : graph.nodes) visit(op);
}

// What each class was decided from, for people to judge how much "complete" covers.
void count_examined(const Program& program, Builder* builder) {
  for (const Lifetime& lifetime : program.lifetimes) {
    builder->examined(HazardClass::reuse, !lifetime.buffer);
    builder->examined(HazardClass::lifetime, lifetime.free.known());
  }
  const auto count_accesses = [&](std::span<const Access> accesses) {
    for (const Access& access : accesses) {
      builder->examined(HazardClass::data, 1);
      const Lifetime& lifetime = program.lifetimes[access.lifetime.index()];
      builder->examined(HazardClass::host, lifetime.memory != MemoryKind::device);
    }
  };
  count_accesses(program.accesses);
  for (const Graph& graph : program.graphs) count_accesses(graph.accesses);
  for (const Op& op : program.ops) {
    builder->examined(HazardClass::pool, op.kind == OpKind::launch);
    builder->examined(HazardClass::launch, op.kind == OpKind::launch);
    const bool outside =
        op.actor.valid() && program.actors[op.actor.index()].kind == ActorKind::agent;
    if (outside) builder->examined(HazardClass::external, op.access_count);
  }
}

// A host function is work of the CPU, of which a recorder sees nothing (add_recorded_gaps).
bool unseen_host_work(const Program& program, const Op& op) {
  return program.recorded && op.kind == OpKind::callback && op.unknown;
}

void add_gaps(const Program& program, Builder* builder) {
  int64_t unknown = 0, unread = 0, lost = 0;
  for_each_op(program, [&](const Op& op) {
    unknown += op.unknown && !unseen_host_work(program, op);
    unread += op.params_unread;
    lost += op.order_unknown;
  });
  if (unknown > 0) builder->undecided(kAll, "unknown-access", unknown);
  if (unread > 0) builder->undecided(kDevice, "params-only", unread);
  if (lost > 0) builder->undecided(kAll, "unmodelled-order", lost);
  for (const Diagnostic& diagnostic : program.diagnostics) {
    const Classes classes = diagnostic.loses_order ? kAll : classes_of(diagnostic.reason);
    builder->undecided(classes, diagnostic.reason, diagnostic.count);
  }
  for (const Graph& graph : program.graphs)
    if (!graph.fully_read) builder->undecided(kAll, "lost-records", 1);
}

// What a body leaves behind for other graphs, and finds of its own last time, depends on how often
// it ran: so for memory that is handed out more than once.
void add_conditional_gaps(const Program& program, Builder* builder) {
  std::optional<Contested> contested;
  int64_t accesses = 0;
  for (const Graph& graph : program.graphs)
    for (const Op& op : graph.nodes) {
      if (!op.conditional) continue;
      if (!contested) contested = contested_lifetimes(program);
      for (const Access& access : accesses_of(graph, op))
        accesses += contested->cluster[access.lifetime.index()] >= 0;
    }
  if (accesses > 0) builder->undecided(of(HazardClass::pool), "conditional-node", accesses);
}

// Whether the node itself says what it touches, and what of it before its wait.
bool says_all(const Graph& graph, const Op& node) {
  const auto accesses = accesses_of(graph, node);
  return !node.unknown && !accesses.empty() &&
         std::all_of(accesses.begin(), accesses.end(),
                     [](const Access& access) { return access.source == AccessSource::declared; });
}

// What a recorder cannot see of a program that a case would declare.
void add_recorded_gaps(const Program& program, Builder* builder) {
  const bool host_memory =
      std::any_of(program.lifetimes.begin(), program.lifetimes.end(),
                  [](const Lifetime& lifetime) { return lifetime.memory != MemoryKind::device; });
  bool unseen = host_memory && !program.host_seen;
  for_each_op(program, [&](const Op& op) { unseen = unseen || unseen_host_work(program, op); });
  if (unseen) builder->not_checked(of(HazardClass::host), "host-accesses-unseen");
  for (const Graph& graph : program.graphs) {
    const auto programmatic =
        std::count_if(graph.edges.begin(), graph.edges.end(), [&](const Edge& edge) {
          return edge.kind == EdgeKind::programmatic &&
                 !says_all(graph, graph.nodes[edge.to.index()]);
        });
    if (programmatic > 0)
      builder->undecided(classes_of("programmatic-edge"), "programmatic-edge", programmatic);
  }
}

}  // namespace

std::array<Coverage, kHazardClasses> coverage_of(const Program& program,
                                                 const std::vector<Cause>& candidate_causes,
                                                 const std::vector<Finding>& candidates) {
  Builder builder;
  count_examined(program, &builder);
  add_gaps(program, &builder);
  add_conditional_gaps(program, &builder);
  if (program.recorded) add_recorded_gaps(program, &builder);
  for (const Cause& cause : candidate_causes) {
    if (cause.suppressed) continue;
    for (const int32_t i : cause.findings)
      for (const std::string& reason : candidates[static_cast<size_t>(i)].reasons)
        builder.undecided(of(cause.cls), reason, 0);
    if (!cause.findings.empty()) {
      const std::string& reason =
          candidates[static_cast<size_t>(cause.findings.front())].reasons.front();
      builder.undecided(of(cause.cls), reason, cause.places);
    }
  }
  return builder.take();
}

Outcome outcome_of(const Verdict& verdict) {
  const bool found = std::any_of(verdict.findings.begin(), verdict.findings.end(),
                                 [](const Finding& finding) { return !finding.suppressed; });
  if (found) return Outcome::findings;
  const bool complete = std::all_of(
      verdict.coverage.begin(), verdict.coverage.end(),
      [](const Coverage& coverage) { return coverage.state == CoverageState::complete; });
  return complete ? Outcome::clean : Outcome::incomplete;
}

}  // namespace bohr::check

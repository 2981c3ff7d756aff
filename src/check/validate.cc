// SPDX-License-Identifier: Apache-2.0
// One pass over ops, nodes, accesses and marks.
#include "check/validate.h"

#include <algorithm>

namespace bohr::check {

namespace {

class Validator {
 public:
  explicit Validator(const Program& program) : program_(program) {}

  Status run() {
    BOHR_TRY_STATUS(table(program_.ops, program_.accesses, "op"));
    for (const Graph& graph : program_.graphs) {
      BOHR_TRY_STATUS(table(graph.nodes, graph.accesses, "node of graph " + graph.name));
      BOHR_TRY_STATUS(marks(graph));
    }
    return lifetimes();
  }

 private:
  Error refuse(const std::string& code, const std::string& where, const std::string& why) const {
    return {code, program_.source, where, why, "the trace is damaged or was made by another tool"};
  }

  template <class T>
  static bool inside(Id<T> id, size_t size) {
    return !id.valid() || id.index() < size;
  }

  bool references_hold(const Op& op) const {
    return inside(op.actor, program_.actors.size()) && inside(op.stream, program_.streams.size()) &&
           inside(op.label, program_.names.size()) && inside(op.bound, program_.ops.size()) &&
           inside(op.target, program_.streams.size()) &&
           inside(op.lifetime, program_.lifetimes.size()) &&
           inside(op.graph, program_.graphs.size()) &&
           inside(op.exec, static_cast<size_t>(std::max(0, program_.exec_count))) &&
           inside(op.stack, program_.stacks.size());
  }

  Status table(const std::vector<Op>& ops, const std::vector<Access>& accesses,
               const std::string& what) const {
    for (size_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      const std::string where = what + " " + std::to_string(i);
      if (!references_hold(op) ||
          static_cast<uint64_t>(op.access_begin) + op.access_count > accesses.size())
        return refuse("program-reference", where, "it refers to something that is not there");
      for (uint32_t a = op.access_begin; a < op.access_begin + op.access_count; ++a) {
        if (!accesses[a].lifetime.valid() ||
            accesses[a].lifetime.index() >= program_.lifetimes.size())
          return refuse("program-reference", where, "an access has no lifetime");
        if (!within(accesses[a]))
          return refuse("program-range", where, "an access lies outside its lifetime");
      }
    }
    return Nothing{};
  }

  bool within(const Access& access) const {
    const Lifetime& lifetime = program_.lifetimes[access.lifetime.index()];
    return access.range.empty() ||
           std::any_of(lifetime.pieces.begin(), lifetime.pieces.end(),
                       [&](const Piece& piece) { return piece.range.contains(access.range); });
  }

  Status marks(const Graph& graph) const {
    for (const Mark& mark : graph.marks) {
      const bool frontier = std::all_of(mark.frontier.begin(), mark.frontier.end(), [&](NodeId n) {
        return n.valid() && n.index() < graph.nodes.size();
      });
      if (!frontier || !mark.lifetime.valid() || mark.lifetime.index() >= program_.lifetimes.size())
        return refuse("program-reference", "graph " + graph.name,
                      "an allocator mark refers to something that is not there");
    }
    return Nothing{};
  }

  bool point_holds(const Point& point) const {
    if (!point.known()) return true;
    if (!point.graph.valid()) return static_cast<size_t>(point.index) <= program_.ops.size();
    return point.graph.index() < program_.graphs.size() &&
           static_cast<size_t>(point.index) <= program_.graphs[point.graph.index()].nodes.size();
  }

  Status lifetimes() const {
    for (const Lifetime& lifetime : program_.lifetimes) {
      const bool records =
          std::all_of(lifetime.use_records.begin(), lifetime.use_records.end(),
                      [&](OpId op) { return op.valid() && op.index() < program_.ops.size(); });
      const bool freed_at_op = !lifetime.free.known() || lifetime.free.graph.valid() ||
                               static_cast<size_t>(lifetime.free.index) < program_.ops.size();
      if (!point_holds(lifetime.alloc) || !point_holds(lifetime.free) || !records || !freed_at_op ||
          !inside(lifetime.made, program_.ops.size()) ||
          !inside(lifetime.owner, program_.streams.size()) ||
          !inside(lifetime.alloc_stack, program_.stacks.size()) ||
          !inside(lifetime.free_stack, program_.stacks.size()))
        return refuse("program-reference", "block " + lifetime.name,
                      "it refers to something that is not there");
    }
    return Nothing{};
  }

  const Program& program_;
};

}  // namespace

Status validate(const Program& program) { return Validator(program).run(); }

}  // namespace bohr::check

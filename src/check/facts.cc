// SPDX-License-Identifier: Apache-2.0
// One pass over the ops in issue order; a graph's nodes are met at its first launch, those of a
// graph that is never launched at the end.
#include "check/facts.h"

#include <algorithm>
#include <numeric>

namespace bohr::check {

namespace {

class Pass {
 public:
  explicit Pass(const Program& program) : program_(program), met_(program.graphs.size(), false) {
    facts_.first.resize(program.lifetimes.size());
    facts_.order_lost_before.reserve(program.ops.size() + 1);
    unread_before_.reserve(program.ops.size() + 1);
  }

  Facts run() {
    for (const Graph& graph : program_.graphs) facts_.waits.push_back(waits_before(graph));
    int32_t lost = 0, unread = 0;
    for (size_t i = 0; i < program_.ops.size(); ++i) {
      const Op& op = program_.ops[i];
      facts_.order_lost_before.push_back(lost);
      unread_before_.push_back(unread);
      lost += op.order_unknown || waits_inside(op);
      unread += op.params_unread;
      meet({{}, static_cast<int32_t>(i), {}}, op);
      if (op.kind == OpKind::launch && op.graph.valid()) meet_graph(op.graph, OpId(i));
    }
    facts_.order_lost_before.push_back(lost);
    unread_before_.push_back(unread);
    for (size_t g = 0; g < program_.graphs.size(); ++g) meet_graph(GraphId(g), {});
    rank_births();
    return std::move(facts_);
  }

 private:
  bool waits_inside(const Op& op) const {
    return op.kind == OpKind::launch && op.graph.valid() && !facts_.waits[op.graph.index()].empty();
  }

  void meet_graph(GraphId id, OpId launch) {
    if (met_[id.index()]) return;
    met_[id.index()] = true;
    const Graph& graph = program_.graphs[id.index()];
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      meet({id, static_cast<int32_t>(n), launch}, graph.nodes[n]);
  }

  void meet(const Place& place, const Op& op) {
    for (uint32_t a = op.access_begin; a < op.access_begin + op.access_count; ++a) {
      const LifetimeId id = access_at(program_, place, static_cast<int32_t>(a)).lifetime;
      FirstAccess& first = facts_.first[id.index()];
      if (first.access >= 0) continue;
      first.place = place;
      first.access = static_cast<int32_t>(a);
      first.writer_unseen = unread_since_birth(program_.lifetimes[id.index()], place);
    }
  }

  bool unread_since_birth(const Lifetime& lifetime, const Place& place) const {
    if (lifetime.alloc.known() && lifetime.alloc.graph.valid()) {
      const Graph& graph = program_.graphs[lifetime.alloc.graph.index()];
      const int32_t end = place.graph == lifetime.alloc.graph
                              ? place.index
                              : static_cast<int32_t>(graph.nodes.size());
      for (int32_t n = std::max(0, lifetime.alloc.index); n < end; ++n)
        if (graph.nodes[static_cast<size_t>(n)].params_unread) return true;
      return false;
    }
    const int32_t op = place.graph.valid() ? place.launch.value() : place.index;
    const size_t end = op >= 0 ? static_cast<size_t>(op) : unread_before_.size() - 1;
    const size_t begin =
        lifetime.alloc.known() ? static_cast<size_t>(lifetime.alloc.index) : size_t{0};
    if (begin < end && unread_before_[end] > unread_before_[begin]) return true;
    return place.graph.valid() && unread_node_before(place);
  }

  bool unread_node_before(const Place& place) const {
    const Graph& graph = program_.graphs[place.graph.index()];
    return std::any_of(graph.nodes.begin(), graph.nodes.begin() + place.index,
                       [](const Op& op) { return op.params_unread; });
  }

  void rank_births() {
    std::vector<int32_t> order(program_.lifetimes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto born = [&](int32_t id) {
      const Point& at = program_.lifetimes[static_cast<size_t>(id)].alloc;
      if (!at.known()) return std::pair(-1, -1);
      if (!at.graph.valid()) return std::pair(at.index, -1);
      return std::pair(program_.graphs[at.graph.index()].begin.index, at.index);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return born(a) < born(b); });
    facts_.born.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      facts_.born[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
  }

  const Program& program_;
  Facts facts_;
  std::vector<bool> met_;
  std::vector<int32_t> unread_before_;
};

// The op outside graphs at which a place stands in issue order; -1 for a node without a launch.
int32_t op_of(const Place& place) {
  return place.graph.valid() ? place.launch.value() : place.index;
}

std::string reason_between(const Program& program, int64_t from, int64_t to) {
  for (const Diagnostic& diagnostic : program.diagnostics)
    if (diagnostic.loses_order && diagnostic.from <= to && from <= diagnostic.to)
      return diagnostic.reason;
  return "";
}

}  // namespace

Facts gather_facts(const Program& program) { return Pass(program).run(); }

bool order_lost_between(const Program& program, const Facts& facts, const Place& first,
                        const Place& second, std::string* reason) {
  const int32_t a = op_of(first), b = op_of(second);
  if ((a < 0 || b < 0) && first.graph != second.graph) return false;  // one is never launched
  if (a < 0 || b < 0) {  // both in one graph: only what is not known of it can connect them
    const WaitsBefore& waits = facts.waits[first.graph.index()];
    const bool waited = !waits.empty() && waits_differ(waits[static_cast<size_t>(first.index)],
                                                       waits[static_cast<size_t>(second.index)]);
    *reason = waited ? "unmodelled-order" : "lost-records";
    return waited || !program.graphs[first.graph.index()].fully_read;
  }
  const Op& from = program.ops[static_cast<size_t>(std::min(a, b))];
  const Op& to = program.ops[static_cast<size_t>(std::max(a, b))];
  *reason = reason_between(program, from.enter, to.exit);
  if (!reason->empty()) return true;
  const auto lost = [&](int32_t op) { return facts.order_lost_before[static_cast<size_t>(op)]; };
  if (lost(std::max(a, b) + 1) == lost(std::min(a, b))) return false;
  *reason = "unmodelled-order";
  return true;
}

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// The pass; see the header.
#include "order/step_order.h"

#include <map>

#include "order/chain_cover.h"
#include "order/graph_order.h"
#include "order/program_order.h"
#include "order/topology.h"

namespace bohr::order {

namespace {

// A point of the unrolled program that steps are ordered by: a step, or an op or end of a launch
// that only carries order. Its row is over chains of steps.
using Point = int32_t;

class StepOrderBuilder {
 public:
  // `chains`: of each step, as a cover has it; empty: found greedily.
  StepOrderBuilder(const Program& program, const ProgramOrder& ops, size_t most_entries,
                   std::vector<int32_t> chains)
      : program_(program), ops_(ops), most_entries_(most_entries), given_(std::move(chains)) {
    result_.steps = steps_of(program);
    result_.chain.assign(result_.size(), -1);
    result_.clock_step.assign(result_.size(), -1);
    points_on_.resize(static_cast<size_t>(ops.chains));
  }

  // After build(): the chain of each step in a smaller cover than this one; empty where there is
  // none.
  std::vector<int32_t> fewer_chains(const StepOrder& built) const {
    std::vector<std::vector<int32_t>> streams;
    streams.reserve(steps_of_hint_.size());
    for (const auto& [hint, steps] : steps_of_hint_) streams.push_back(steps);
    const std::vector<int32_t> cover =
        smaller_cover(built.clocks, built.chains, streams, Streams::may_be_linked);
    std::vector<int32_t> chains;
    if (cover.empty()) return chains;
    chains.reserve(built.size());
    for (const int32_t step : built.clock_step) chains.push_back(cover[static_cast<size_t>(step)]);
    return chains;
  }

  Result<StepOrder> build() {
    for (size_t i = 0; i < program_.ops.size(); ++i) {
      if (program_.ops[i].kind == OpKind::launch) {
        BOHR_TRY_STATUS(add_launch(i));
      } else {
        add_op(i);
      }
      BOHR_TRY_STATUS(check_size());
    }
    result_.chains = static_cast<int32_t>(tails_.size());
    collect_arrows();
    return std::move(result_);
  }

 private:
  struct Inside {  // a graph's order, shared by its launches
    Topology topology;
    GraphOrder order;
    std::vector<std::vector<int32_t>> node_at;  // by chain and position - 1
  };

  Status check_size() const {
    if (result_.clocks.entries() <= most_entries_) return Nothing{};
    return order_too_large(program_.source, result_.clocks);
  }

  // --- arrows between ops ---

  Row row_of(Point point) const {
    const auto row = result_.clocks.row(point);
    return {row.begin(), row.end()};
  }

  // What a step of ops_ is ordered after, itself left out.
  Row known_to(int32_t op_step) const {
    Row row;
    const auto known = ops_.clocks.row(op_step);
    for (size_t chain = 0; chain < known.size(); ++chain) {
      Position position = known[chain];
      const bool own = ops_.clocks.chain(op_step) == static_cast<int32_t>(chain) &&
                       ops_.clocks.position(op_step) == position;
      if (own) --position;
      if (position > 0) join(row, result_.clocks.row(points_on_[chain][position - 1]));
    }
    return row;
  }

  void place(int32_t op_step, Point point) {
    const int32_t chain = ops_.clocks.chain(op_step);
    if (chain < 0) return;
    auto& points = points_on_[static_cast<size_t>(chain)];
    BOHR_CHECK(points.size() + 1 == ops_.clocks.position(op_step));
    points.push_back(point);
  }

  void add_op(size_t index) {
    const Op& op = program_.ops[index];
    const int32_t op_step = ops_.step[index];
    if (!is_work(op.kind)) {
      if (ops_.clocks.chain(op_step) >= 0) place(op_step, add_point(known_to(op_step)));
      return;
    }
    const int32_t hint = op.stream.valid() ? op.stream.value() : ~op.actor.value();
    const Step& first = result_.steps[next_];
    Point point = -1;
    if (first.part == Part::whole) {
      point = add_step(known_to(op_step), hint);
    } else if (first.part == Part::source) {
      const int32_t source = ops_.source_step.at(static_cast<int32_t>(index));
      place(source, add_step(known_to(source), ~op.actor.value()));
      point = add_step(known_to(op_step), hint);
    } else {
      const auto early = ops_.early_step.find(static_cast<int32_t>(index));
      const Row start = known_to(early == ops_.early_step.end() ? op_step : early->second);
      const Point started = add_step(start, hint);
      Row row = known_to(op_step);
      join(row, result_.clocks.row(started));
      point = add_step(std::move(row), hint);
    }
    place(op_step, point);
  }

  // --- arrows inside a launch ---

  Result<const Inside*> inside(GraphId id) {
    const auto found = insides_.find(id);
    if (found != insides_.end()) return &found->second;
    const Graph& graph = program_.graphs[id.index()];
    BOHR_TRY(edges, topology(graph));
    BOHR_TRY(nodes, graph_order(graph, most_entries_));
    Inside inside{std::move(edges), std::move(nodes), {}};
    inside.node_at.resize(static_cast<size_t>(inside.order.chains));
    for (const int32_t node : inside.topology.order) {
      const int32_t step = inside.order.step[static_cast<size_t>(node)];
      inside.node_at[static_cast<size_t>(inside.order.clocks.chain(step))].push_back(node);
    }
    return &insides_.emplace(id, std::move(inside)).first->second;
  }

  Status add_launch(size_t index) {
    const Op& launch = program_.ops[index];
    const Graph& graph = program_.graphs[launch.graph.index()];
    BOHR_TRY(shape, inside(launch.graph));
    const Point begin = add_point(known_to(ops_.step[index]));
    const size_t first_step = next_;
    std::vector<size_t> step_of_node;
    for (size_t step = next_, node = 0; node < graph.nodes.size(); ++node) {
      step_of_node.push_back(step);
      while (step < result_.size() && result_.steps[step].op == OpId(index) &&
             result_.steps[step].node == NodeId(node))
        ++step;
    }
    Row end = row_of(begin);
    std::vector<Point> point_of_node(graph.nodes.size(), begin);
    for (const int32_t node : shape->topology.order) {
      const auto n = static_cast<size_t>(node);
      next_ = step_of_node[n];
      const bool is_step = next_ < result_.size() && result_.steps[next_].op == OpId(index) &&
                           result_.steps[next_].node == NodeId(n);
      point_of_node[n] = add_node(*shape, graph, n, is_step, begin, point_of_node);
      join(end, result_.clocks.row(point_of_node[n]));
      BOHR_TRY_STATUS(check_size());
    }
    next_ = first_step;
    while (next_ < result_.size() && result_.steps[next_].op == OpId(index)) ++next_;
    place(ops_.step[index], add_point(end));
    return Nothing{};
  }

  Point add_node(const Inside& shape, const Graph& graph, size_t node, bool is_step, Point begin,
                 const std::vector<Point>& point_of_node) {
    const GraphOrder& order = shape.order;
    const auto known = [&](int32_t clock_step) {
      Row row = row_of(begin);
      const auto rows = order.clocks.row(clock_step);
      for (size_t chain = 0; chain < rows.size(); ++chain) {
        Position position = rows[chain];
        if (position > 0 && shape.node_at[chain][position - 1] == static_cast<int32_t>(node))
          --position;
        if (position == 0) continue;
        const auto other = static_cast<size_t>(shape.node_at[chain][position - 1]);
        join(row, result_.clocks.row(point_of_node[other]));
      }
      return row;
    };
    Row row = known(order.step[node]);
    if (!is_step) return add_point(row);
    const int32_t hint = graph.nodes[node].stream.value();
    if (result_.steps[next_].part == Part::early) {
      const Point started = add_step(known(order.early_step[node]), hint);
      join(row, result_.clocks.row(started));
    }
    return add_step(std::move(row), hint);
  }

  // --- rows over chains of steps ---

  Point add_point(const Row& row) { return result_.clocks.add(-1, 0, row); }

  Point add_step(Row row, int32_t hint) {
    const size_t step = next_++;
    const size_t chain = given_.empty() ? choose_chain(row, hint) : given_chain(step);
    const Point tail = tails_[chain];
    const Position position = tail < 0 ? 1 : result_.clocks.position(tail) + 1;
    if (row.size() <= chain) row.resize(chain + 1, 0);
    row[chain] = position;
    const Point point = result_.clocks.add(static_cast<int32_t>(chain), position, row);
    tails_[chain] = point;
    chain_of_hint_[hint] = chain;
    steps_of_hint_[hint].push_back(point);
    result_.chain[step] = static_cast<int32_t>(chain);
    result_.clock_step[step] = point;
    steps_on_.resize(tails_.size());
    steps_on_[chain].push_back(static_cast<int32_t>(step));
    return point;
  }

  bool extends(size_t chain, const Row& row) const {
    return chain < row.size() && row[chain] == result_.clocks.position(tails_[chain]);
  }

  size_t choose_chain(const Row& row, int32_t hint) {
    const auto found = chain_of_hint_.find(hint);
    const bool first_of_stream = hint != -1 && found == chain_of_hint_.end();
    if (found != chain_of_hint_.end() && extends(found->second, row)) return found->second;
    for (size_t chain = 0; !first_of_stream && chain < row.size(); ++chain)
      if (row[chain] > 0 && extends(chain, row)) return chain;
    tails_.push_back(-1);
    return tails_.size() - 1;
  }

  size_t given_chain(size_t step) {
    const auto chain = static_cast<size_t>(given_[step]);
    if (tails_.size() <= chain) tails_.resize(chain + 1, -1);
    return chain;
  }

  void collect_arrows() {
    std::vector<int32_t> last;
    for (size_t step = 0; step < result_.size(); ++step) {
      result_.begin.push_back(static_cast<uint32_t>(result_.arrows.size()));
      last.clear();
      const auto row = result_.clocks.row(result_.clock_step[step]);
      for (size_t chain = 0; chain < row.size(); ++chain) {
        Position position = row[chain];
        if (static_cast<int32_t>(chain) == result_.chain[step]) --position;
        if (position > 0) last.push_back(steps_on_[chain][position - 1]);
      }
      for (const int32_t one : last) {
        bool implied = false;
        for (const int32_t other : last) implied = implied || result_.before(one, other);
        if (!implied) result_.arrows.push_back(one);
      }
    }
    result_.begin.push_back(static_cast<uint32_t>(result_.arrows.size()));
  }

  const Program& program_;
  const ProgramOrder& ops_;
  size_t most_entries_;
  const std::vector<int32_t> given_;  // by step
  StepOrder result_;
  size_t next_ = 0;                             // the step that add_step() makes
  std::vector<std::vector<Point>> points_on_;   // by chain of ops_
  std::vector<std::vector<int32_t>> steps_on_;  // by chain of steps
  std::vector<Point> tails_;                    // last of each chain of steps
  std::map<int32_t, size_t> chain_of_hint_;
  std::map<int32_t, std::vector<Point>> steps_of_hint_;
  std::map<GraphId, Inside> insides_;
};

}  // namespace

Result<StepOrder> step_order(const Program& program, bool strict_threads, size_t most_entries) {
  BOHR_TRY(ops, program_order(program, strict_threads, most_entries));
  StepOrderBuilder greedy(program, ops, most_entries, {});
  BOHR_TRY(order, greedy.build());
  std::vector<int32_t> chains = greedy.fewer_chains(order);
  if (chains.empty()) return std::move(order);
  return StepOrderBuilder(program, ops, most_entries, std::move(chains)).build();
}

}  // namespace bohr::order

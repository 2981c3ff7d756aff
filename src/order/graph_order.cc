// SPDX-License-Identifier: Apache-2.0
// Builds the rows in topological order; see the header for the rules.
#include "order/graph_order.h"

#include <map>
#include <unordered_map>

#include "order/chain_cover.h"
#include "order/topology.h"

namespace bohr::order {

namespace {

class GraphOrderBuilder {
 public:
  // `chains`: of each node, as a cover has it; empty: found greedily.
  GraphOrderBuilder(const Graph& graph, const Topology& topology, std::vector<int32_t> chains)
      : graph_(graph), topology_(topology), given_(std::move(chains)) {
    result_.step.assign(graph.nodes.size(), -1);
    result_.early_step.assign(graph.nodes.size(), -1);
  }

  Result<GraphOrder> build(size_t most_entries) {
    for (int32_t node : topology_.order) {
      add(static_cast<size_t>(node));
      if (result_.clocks.entries() > most_entries)
        return order_too_large("graph " + graph_.name, result_.clocks);
    }
    result_.chains = static_cast<int32_t>(tails_.size());
    return std::move(result_);
  }

 private:
  std::span<const InEdge> in_edges(size_t node) const {
    return {topology_.in_edges.data() + topology_.in_begin[node],
            topology_.in_edges.data() + topology_.in_begin[node + 1]};
  }

  void add(size_t node) {
    Row early, row;
    bool programmatic = false;
    for (const InEdge& edge : in_edges(node)) {
      if (edge.kind == EdgeKind::launch_order) continue;
      const size_t from = static_cast<size_t>(edge.from);
      const auto completion = result_.clocks.row(result_.step[from]);
      join(row, completion);
      if (edge.kind == EdgeKind::full) {
        join(early, completion);
      } else {
        programmatic = true;
        join_start(early, from);
      }
    }
    const int32_t chain = choose_chain(node, row);
    const int32_t tail = tails_[chain_index(chain)];
    const Position position = tail < 0 ? 1 : result_.clocks.position(tail) + 1;
    if (programmatic) {
      result_.early_step[node] = result_.clocks.add(chain, position, early);
    }
    if (row.size() <= chain_index(chain)) row.resize(chain_index(chain) + 1, 0);
    row[chain_index(chain)] = position;
    result_.step[node] = result_.clocks.add(chain, position, row);
    if (!programmatic) result_.early_step[node] = result_.step[node];
    tails_[chain_index(chain)] = result_.step[node];
    chain_of_stream_[graph_.nodes[node].stream] = chain;
  }

  static size_t chain_index(int32_t chain) { return static_cast<size_t>(chain); }

  // What the start of `node` was ordered after.
  void join_start(Row& into, size_t node) const {
    if (result_.early_step[node] != result_.step[node]) {
      join(into, result_.clocks.row(result_.early_step[node]));
      return;
    }
    for (const InEdge& edge : in_edges(node))
      if (edge.kind == EdgeKind::full)
        join(into, result_.clocks.row(result_.step[static_cast<size_t>(edge.from)]));
  }

  bool extends(int32_t chain, const Row& row) const {
    const int32_t tail = tails_[chain_index(chain)];
    const size_t i = chain_index(chain);
    return i < row.size() && row[i] >= result_.clocks.position(tail);
  }

  int32_t choose_chain(size_t node, const Row& row) {
    if (!given_.empty()) {
      const int32_t chain = given_[node];
      if (tails_.size() <= chain_index(chain)) tails_.resize(chain_index(chain) + 1, -1);
      return chain;
    }
    const StreamId stream = graph_.nodes[node].stream;
    const auto found = chain_of_stream_.find(stream);
    const bool first_of_stream = stream.valid() && found == chain_of_stream_.end();
    if (found != chain_of_stream_.end() && extends(found->second, row)) return found->second;
    for (size_t chain = 0; !first_of_stream && chain < row.size(); ++chain)
      if (row[chain] > 0 && extends(static_cast<int32_t>(chain), row))
        return static_cast<int32_t>(chain);
    tails_.push_back(-1);
    return static_cast<int32_t>(tails_.size()) - 1;
  }

  const Graph& graph_;
  const Topology& topology_;
  const std::vector<int32_t> given_;  // by node
  GraphOrder result_;
  std::vector<int32_t> tails_;  // last step of each chain
  std::unordered_map<StreamId, int32_t> chain_of_stream_;
};

// Of each node; empty where a greedy cover is as small.
std::vector<int32_t> fewer_chains(const Graph& graph, const Topology& topology,
                                  const GraphOrder& greedy) {
  std::map<StreamId, std::vector<int32_t>> by_stream;
  for (const int32_t node : topology.order) {
    const auto n = static_cast<size_t>(node);
    by_stream[graph.nodes[n].stream].push_back(greedy.step[n]);
  }
  std::vector<std::vector<int32_t>> streams;
  streams.reserve(by_stream.size());
  for (auto& [stream, steps] : by_stream) streams.push_back(std::move(steps));
  const std::vector<int32_t> cover =
      smaller_cover(greedy.clocks, greedy.chains, streams, Streams::stay_apart);
  std::vector<int32_t> chains;
  if (cover.empty()) return chains;
  chains.reserve(graph.nodes.size());
  for (const int32_t step : greedy.step) chains.push_back(cover[static_cast<size_t>(step)]);
  return chains;
}

}  // namespace

Result<GraphOrder> graph_order(const Graph& graph, size_t most_entries) {
  BOHR_TRY(edges, topology(graph));
  BOHR_TRY(greedy, GraphOrderBuilder(graph, edges, {}).build(most_entries));
  std::vector<int32_t> chains = fewer_chains(graph, edges, greedy);
  if (chains.empty()) return std::move(greedy);
  return GraphOrderBuilder(graph, edges, std::move(chains)).build(most_entries);
}

}  // namespace bohr::order

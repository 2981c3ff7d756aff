// SPDX-License-Identifier: Apache-2.0
// The simulation. A graph launched again with nothing in between that touched contested bytes
// leaves them as its second launch did, so the third and later launches in a row are skipped.
#include "check/pool_rule.h"

#include <set>
#include <tuple>

#include "check/decide.h"
#include "check/write_map.h"

namespace bohr::check {

namespace {

class Simulation {
 public:
  Simulation(const Program& program, const Arenas& arenas, const Facts& facts, const Uses& uses)
      : program_(program),
        arenas_(arenas),
        facts_(facts),
        uses_(uses),
        simulated_(program.graphs.size()),
        latest_(program.graphs.size()),
        first_launch_(program.graphs.size()) {
    for (size_t i = program.ops.size(); i-- > 0;)
      if (program.ops[i].kind == OpKind::launch && program.ops[i].graph.valid())
        first_launch_[program.ops[i].graph.index()] = OpId(i);
    const Contested contested = contested_lifetimes(program);
    watched_.assign(program.lifetimes.size(), false);
    std::vector<bool> in_graph(static_cast<size_t>(contested.clusters), false);
    for (size_t i = 0; i < program.lifetimes.size(); ++i) {
      const int32_t cluster = contested.cluster[i];
      if (cluster < 0) continue;
      for (const Use& use : uses.of(LifetimeId(i)))
        if (use.place.graph.valid()) in_graph[static_cast<size_t>(cluster)] = true;
    }
    for (size_t i = 0; i < program.lifetimes.size(); ++i) {
      const int32_t cluster = contested.cluster[i];
      watched_[i] = cluster >= 0 && in_graph[static_cast<size_t>(cluster)];
    }
    find_watched_nodes();
  }

  std::vector<PoolHazard> run() {
    for (size_t i = 0; i < program_.ops.size(); ++i) {
      const Op& op = program_.ops[i];
      if (op.kind == OpKind::launch && op.graph.valid())
        launch(op, OpId(i));
      else if (op.access_count > 0 && step({{}, static_cast<int32_t>(i), {}}, op))
        last_launched_[0] = last_launched_[1] = {};
    }
    check_outputs();
    return std::move(found_);
  }

 private:
  // Nodes with watched accesses, in an order of the edges.
  void find_watched_nodes() {
    nodes_.resize(program_.graphs.size());
    for (size_t g = 0; g < program_.graphs.size(); ++g) {
      const Graph& graph = program_.graphs[g];
      std::vector<int32_t> by_step(arenas_.graphs[g].order.clocks.size(), -1);
      for (size_t n = 0; n < graph.nodes.size(); ++n)
        by_step[static_cast<size_t>(arenas_.graphs[g].order.step[n])] = static_cast<int32_t>(n);
      for (const int32_t node : by_step)
        if (node >= 0 && watches(graph, graph.nodes[static_cast<size_t>(node)]))
          nodes_[g].push_back(node);
    }
  }

  bool watches(const Graph& graph, const Op& op) const {
    for (const Access& access : accesses_of(graph, op))
      if (watched_[access.lifetime.index()]) return true;
    return false;
  }

  void launch(const Op& op, OpId id) {
    const std::vector<int32_t>& nodes = nodes_[op.graph.index()];
    if (nodes.empty()) return;
    latest_[op.graph.index()] = id;
    if (last_launched_[0] == op.graph && last_launched_[1] == op.graph) return;
    simulated_[op.graph.index()] = id;
    const Graph& graph = program_.graphs[op.graph.index()];
    for (const int32_t node : nodes)
      step({op.graph, node, id}, graph.nodes[static_cast<size_t>(node)]);
    last_launched_[0] = last_launched_[1];
    last_launched_[1] = op.graph;
  }

  // The early part before the rest, and in each reads before writes. False when nothing watched was
  // accessed.
  bool step(const Place& place, const Op& op) {
    bool any = false;
    for (const bool early : {true, false})
      for (const bool write : {false, true})
        for (uint32_t a = op.access_begin; a < op.access_begin + op.access_count; ++a) {
          const auto index = static_cast<int32_t>(a);
          const Access& access = access_at(program_, place, index);
          if (!watched_[access.lifetime.index()]) continue;
          if (access.early != early) continue;
          any = true;
          if (write)
            apply_write(place, access, index);
          else
            apply_read(place, access, index);
        }
    return any;
  }

  bool first_of_lifetime(const Place& place, const Access& access, int32_t index) const {
    const FirstAccess& first = facts_.first[access.lifetime.index()];
    return first.access == index && first.place.graph == place.graph &&
           first.place.index == place.index;
  }

  void apply_read(const Place& place, const Access& access, int32_t index) {
    if (!reads(access.mode)) return;
    if (access.mode == AccessMode::touch && first_of_lifetime(place, access, index)) return;
    const bool certain = direction_known(access.mode) && access.doubt == Doubt::none;
    last_.visit(access.range, [&](ByteRange part, Written by) {
      if (by.lifetime == access.lifetime) return;
      by.place = current(by.place);
      own(access.lifetime, part, [&](const Written&) {
        if (before(by.place, place)) report(place, access.lifetime, by, certain && by.certain);
      });
    });
  }

  void apply_write(const Place& place, const Access& access, int32_t index) {
    if (!writes(access.mode)) return;
    const bool certain =
        (direction_known(access.mode) || first_of_lifetime(place, access, index)) &&
        access.doubt == Doubt::none;
    const Written by{place, access.lifetime, index, certain};
    last_.write(access.range, by);
    own_[access.lifetime].write(access.range, by);
  }

  // What a lifetime wrote itself within `part`.
  template <class Visit>
  void own(LifetimeId lifetime, ByteRange part, Visit&& visit) const {
    const auto found = own_.find(lifetime);
    if (found == own_.end()) return;
    found->second.visit(part, [&](ByteRange, const Written& by) { visit(by); });
  }

  void check_outputs() {
    for (size_t i = 0; i < program_.lifetimes.size(); ++i) {
      const Lifetime& lifetime = program_.lifetimes[i];
      const bool output = lifetime.live || (!lifetime.free.known() && !lifetime.scratch);
      if (!watched_[i] || !output || program_.recorded) continue;
      for (const Piece& piece : lifetime.pieces) check_output(LifetimeId(i), piece.range);
    }
  }

  void check_output(LifetimeId id, ByteRange range) {
    last_.visit(range, [&](ByteRange part, Written by) {
      if (by.lifetime == id) return;
      by.place = current(by.place);
      own(id, part, [&](const Written& lost) {
        const Place last = current(lost.place);
        if (before(last, by.place)) report(last, id, by, by.certain);
      });
    });
  }

  int32_t outside_step(const Place& place) const {
    const int32_t op = place.graph.valid() ? place.launch.value() : place.index;
    return arenas_.order.step[static_cast<size_t>(op)];
  }

  bool before(const Place& a, const Place& b) const {
    if (a.graph.valid() && a.launch == b.launch)
      return arenas_.graphs[a.graph.index()].order.before(NodeId(a.index), NodeId(b.index));
    return arenas_.order.clocks.before(outside_step(a), outside_step(b));
  }

  // A write of the last launch that was simulated stands for those that were skipped after it.
  Place current(Place place) const {
    if (place.graph.valid() && place.launch == simulated_[place.graph.index()])
      place.launch = latest_[place.graph.index()];
    return place;
  }

  // The victim accesses `lifetime` and finds what `by` wrote through another one.
  void report(const Place& victim, LifetimeId lifetime, const Written& by, bool decided) {
    const bool victim_older = facts_.born[lifetime.index()] < facts_.born[by.lifetime.index()];
    const bool victim_named = by.place.graph.valid() ? victim_older && victim.graph.valid() : true;
    const Place& first = victim_named ? victim : by.place;
    if (!first.graph.valid()) return;
    const LifetimeId own_side = victim_named ? lifetime : by.lifetime;
    const LifetimeId other = victim_named ? by.lifetime : lifetime;
    const auto key = std::tuple(first.graph, first.index, other);
    if (decided ? !reported_.insert(key).second
                : reported_.contains(key) || !suspected_.insert(key).second)
      return;
    PoolHazard hazard;
    hazard.first = first;
    hazard.decided = decided;
    if (find_second(own_side, other, &hazard)) found_.push_back(hazard);
  }

  // The first place, in issue order, that conflicts with `hazard->first` through `other`.
  bool find_second(LifetimeId own_side, LifetimeId other, PoolHazard* hazard) const {
    bool found = false;
    for (const Use& use : uses_.of(other)) {
      const Place place = first_run(use.place);
      if (found && !(issued(place) < issued(hazard->second))) continue;
      PoolHazard candidate = *hazard;
      candidate.second = place;
      candidate.kinds = 0;
      if (!conflicts(own_side, other, &candidate)) continue;
      *hazard = candidate;
      found = true;
    }
    return found;
  }

  // Fills accesses and kinds over all accesses of the two places through the two lifetimes.
  bool conflicts(LifetimeId own_side, LifetimeId other, PoolHazard* hazard) const {
    const Op& a = op_at(program_, hazard->first);
    const Op& b = op_at(program_, hazard->second);
    for (auto i = static_cast<int32_t>(a.access_begin);
         i < static_cast<int32_t>(a.access_begin + a.access_count); ++i)
      for (auto j = static_cast<int32_t>(b.access_begin);
           j < static_cast<int32_t>(b.access_begin + b.access_count); ++j) {
        const Access& x = access_at(program_, hazard->first, i);
        const Access& y = access_at(program_, hazard->second, j);
        if (x.lifetime != own_side || y.lifetime != other || !x.range.overlaps(y.range)) continue;
        const uint8_t kinds = kinds_of(x.mode, y.mode);
        if (kinds == 0) continue;
        if (hazard->kinds == 0) {
          hazard->first_access = i;
          hazard->second_access = j;
        }
        hazard->kinds |= kinds;
      }
    return hazard->kinds != 0;
  }

  Place first_run(Place place) const {
    if (place.graph.valid()) place.launch = first_launch_[place.graph.index()];
    return place;
  }

  std::pair<int32_t, int32_t> issued(const Place& place) const {
    if (!place.graph.valid()) return {place.index, -1};
    const auto never = static_cast<int32_t>(program_.ops.size());
    return {place.launch.valid() ? place.launch.value() : never, place.index};
  }

  const Program& program_;
  const Arenas& arenas_;
  const Facts& facts_;
  const Uses& uses_;
  std::vector<OpId> simulated_;  // last launch of each graph that was simulated
  std::vector<OpId> latest_;     // last launch of each graph
  std::vector<OpId> first_launch_;
  std::vector<bool> watched_;                // by lifetime
  std::vector<std::vector<int32_t>> nodes_;  // by graph
  WriteMap last_;
  std::map<LifetimeId, WriteMap> own_;
  GraphId last_launched_[2];
  std::set<std::tuple<GraphId, int32_t, LifetimeId>> reported_, suspected_;
  std::vector<PoolHazard> found_;
};

}  // namespace

std::vector<PoolHazard> pool_hazards(const Program& program, const Arenas& arenas,
                                     const Facts& facts, const Uses& uses) {
  return Simulation(program, arenas, facts, uses).run();
}

}  // namespace bohr::check

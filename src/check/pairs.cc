// SPDX-License-Identifier: Apache-2.0
// Three searches: within an arena; launches against ops outside graphs; launches against launches.
//
// A launch is one unit to the outside, so a node and an op outside are unordered exactly when the
// launch and that op are. Only graphs with a launch that is unordered with anything are looked at,
// by matching the graph's range groups against those of the ops outside; two execs are matched only
// if some launch of one is unordered with some launch of the other. An ordered launch costs a look
// at its row and nothing else.
#include "check/pairs.h"

#include "check/pair_table.h"
#include "check/windows.h"

namespace bohr::check {

namespace {

constexpr int32_t kRowsForReject = 64;  // above this many chains rows are not worth comparing

// For each group, what all its accesses know: the least of the rows of its lists' first entries.
std::vector<order::Row> common_knowledge(const Groups& groups, const order::Clocks& clocks,
                                         int32_t chains) {
  std::vector<order::Row> result(groups.groups.size());
  for (size_t g = 0; g < groups.groups.size(); ++g) {
    order::Row& row = result[g];
    row.assign(static_cast<size_t>(chains), ~order::Position{0});
    for (const List& list : groups.of(groups.groups[g])) {
      const int32_t first = groups.entries[list.begin].step;
      for (int32_t c = 0; c < chains; ++c)
        row[static_cast<size_t>(c)] = std::min(row[static_cast<size_t>(c)], clocks.known(first, c));
    }
  }
  return result;
}

// Whether everything of group a happens before everything of a group that commonly knows `row`.
bool wholly_before(const Groups& groups, const Group& a, const order::Clocks& clocks,
                   const order::Row& row) {
  for (const List& list : groups.of(a)) {
    const int32_t last = groups.entries[list.end - 1].step;
    if (list.chain < 0 || clocks.position(last) > row[static_cast<size_t>(list.chain)])
      return false;
  }
  return true;
}

class ArenaSearch {
 public:
  ArenaSearch(const Groups& groups, const order::Clocks& clocks, int32_t chains, GraphId graph,
              int64_t limit, PairTable* table)
      : groups_(groups), clocks_(clocks), graph_(graph), limit_(limit), table_(*table) {
    if (chains <= kRowsForReject) common_ = common_knowledge(groups, clocks, chains);
  }

  void run() {
    overlapping_groups(groups_, groups_, [&](size_t i, size_t j) {
      if (i != j && rejected(i, j)) return;
      const auto left = groups_.of(groups_.groups[i]);
      const auto right = groups_.of(groups_.groups[j]);
      for (size_t a = 0; a < left.size(); ++a)
        for (size_t b = i == j ? a : 0; b < right.size(); ++b) match(left[a], right[b]);
    });
  }

 private:
  bool rejected(size_t i, size_t j) const {
    if (common_.empty()) return false;
    return wholly_before(groups_, groups_.groups[i], clocks_, common_[j]) ||
           wholly_before(groups_, groups_.groups[j], clocks_, common_[i]);
  }

  void match(const List& a, const List& b) {
    if (!conflict(a.effect, b.effect)) return;
    if (a.chain == b.chain && !a.early && !b.early) return;
    int64_t listed = 0;
    const int64_t count =
        unordered_pairs(clocks_, groups_.of(a), groups_.of(b), table_.allowance(limit_),
                        [&](const Entry& x, const Entry& y) {
                          table_.add({graph_, x.op, {}}, x.access, {graph_, y.op, {}}, y.access);
                          ++listed;
                        });
    if (count > listed) table_.add_unlisted(count - listed);
  }

  const Groups& groups_;
  const order::Clocks& clocks_;
  GraphId graph_;
  int64_t limit_;
  PairTable& table_;
  std::vector<order::Row> common_;
};

class LaunchSearch {
 public:
  LaunchSearch(const Arenas& arenas, int64_t limit, PairTable* table)
      : arenas_(arenas), clocks_(arenas.order.clocks), limit_(limit), table_(*table) {}

  void run() {
    for (const LaunchSet& set : arenas_.launch_sets)
      if (meets_outside(set)) match_outside(set);
    for (size_t i = 0; i < arenas_.launch_sets.size(); ++i)
      for (size_t j = i + 1; j < arenas_.launch_sets.size(); ++j)
        match_sets(arenas_.launch_sets[i], arenas_.launch_sets[j]);
  }

 private:
  const Groups& nodes(const LaunchSet& set) const {
    return arenas_.graphs[set.graph.index()].groups;
  }

  bool meets_outside(const LaunchSet& set) const {
    for (const std::vector<Entry>& chain : arenas_.active) {
      Fingers fingers;
      for (const Entry& launch : set.launches) {
        advance(clocks_, launch.step, chain, &fingers);
        if (fingers.low < fingers.high) return true;
      }
    }
    return false;
  }

  void match_outside(const LaunchSet& set) {
    overlapping_groups(nodes(set), arenas_.groups, [&](size_t i, size_t j) {
      for (const List& outside : arenas_.groups.of(arenas_.groups.groups[j]))
        for (const List& inside : nodes(set).of(nodes(set).groups[i]))
          if (conflict(inside.effect, outside.effect)) match_lists(set, inside, outside);
    });
  }

  void match_lists(const LaunchSet& set, const List& inside, const List& outside) {
    const int64_t limit = table_.allowance(limit_);
    int64_t listed = 0;
    const int64_t count = unordered_pairs(clocks_, set.launches, arenas_.groups.of(outside), limit,
                                          [&](const Entry& launch, const Entry& op) {
                                            for (const Entry& node : nodes(set).of(inside)) {
                                              if (++listed > limit) return;
                                              table_.add({set.graph, node.op, OpId(launch.op)},
                                                         node.access, {{}, op.op, {}}, op.access);
                                            }
                                          });
    if (count > limit) table_.add_unlisted(count - limit);
  }

  struct LaunchPair {
    OpId a, b;
  };

  // The first unordered launches of two sets, by the later of the two: with a's issued first, and
  // with b's. These are two missing orders, so each makes pairs of its own.
  struct Directions {
    LaunchPair a_first, b_first;
  };
  Directions first_unordered(const LaunchSet& a, const LaunchSet& b) const {
    Directions found;
    Fingers fingers;
    for (const Entry& launch : a.launches) {
      advance(clocks_, launch.step, b.launches, &fingers);
      if (fingers.low >= fingers.high) continue;
      const OpId own(launch.op), earliest(b.launches[fingers.low].op);
      if (earliest < own && !found.b_first.a.valid()) found.b_first = {own, earliest};
      for (size_t j = fingers.low; j < fingers.high; ++j) {
        const OpId other(b.launches[j].op);
        if (other < own) continue;
        if (!found.a_first.b.valid() || other < found.a_first.b) found.a_first = {own, other};
        break;
      }
    }
    return found;
  }

  void match_sets(const LaunchSet& a, const LaunchSet& b) {
    if (a.exec == b.exec) return;
    const Directions found = first_unordered(a, b);
    for (const LaunchPair& pair : {found.a_first, found.b_first}) {
      if (!pair.a.valid()) continue;
      overlapping_groups(nodes(a), nodes(b),
                         [&](size_t i, size_t j) { match_groups(a, i, pair.a, b, j, pair.b); });
      if (a.graph == b.graph) match_own_groups(a, pair.a, pair.b);
    }
  }

  void match_groups(const LaunchSet& a, size_t i, OpId x, const LaunchSet& b, size_t j, OpId y) {
    for (const List& left : nodes(a).of(nodes(a).groups[i]))
      for (const List& right : nodes(b).of(nodes(b).groups[j])) {
        if (!conflict(left.effect, right.effect)) continue;
        int64_t listed = 0;
        const int64_t limit = table_.allowance(limit_);
        for (const Entry& u : nodes(a).of(left))
          for (const Entry& v : nodes(b).of(right)) {
            if (++listed > limit) break;
            table_.add({a.graph, u.op, x}, u.access, {b.graph, v.op, y}, v.access);
          }
        const int64_t all = static_cast<int64_t>(left.end - left.begin) * (right.end - right.begin);
        if (all > limit) table_.add_unlisted(all - limit);
      }
  }

  // Two execs of one graph: the sweep of a set of groups with itself gives each pair once, but
  // here (i, j) and (j, i) differ.
  void match_own_groups(const LaunchSet& a, OpId x, OpId y) {
    overlapping_groups(nodes(a), nodes(a), [&](size_t i, size_t j) {
      if (i != j) match_groups(a, j, x, a, i, y);
    });
  }

  const Arenas& arenas_;
  const order::Clocks& clocks_;
  int64_t limit_;
  PairTable& table_;
};

}  // namespace

std::vector<Pair> unordered_conflicts(const Program& program, const Arenas& arenas, int64_t limit) {
  PairTable table;
  ArenaSearch(arenas.groups, arenas.order.clocks, arenas.order.chains, {}, limit, &table).run();
  for (size_t g = 0; g < program.graphs.size(); ++g) {
    const GraphArena& arena = arenas.graphs[g];
    ArenaSearch(arena.groups, arena.order.clocks, arena.order.chains, GraphId(g), limit, &table)
        .run();
  }
  LaunchSearch(arenas, limit, &table).run();
  return table.take();
}

}  // namespace bohr::check

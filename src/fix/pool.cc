// SPDX-License-Identifier: Apache-2.0
// A sweep over the points at which lifetimes begin and end.
#include "fix/pool.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace bohr::fix {

namespace {

// Issue order of points: ops at odd places, a capture before the op that it began at; inside it by
// node, and before one node as the graph's marks stand.
using Place = std::tuple<int64_t, int32_t, size_t>;

class PoolPlaces {
 public:
  explicit PoolPlaces(const Program& program) : program_(program) {
    for (const Graph& graph : program.graphs)
      for (size_t i = 0; i < graph.marks.size(); ++i)
        marks_[{graph.marks[i].lifetime, graph.marks[i].kind}] = i;
  }

  Place of(const Point& point, LifetimeId lifetime, MarkKind kind) const {
    if (!point.graph.valid()) return {2 * int64_t{point.index} + 1, 0, 0};
    const Graph& graph = program_.graphs[point.graph.index()];
    const auto mark = marks_.find({lifetime, kind});
    return {2 * int64_t{graph.begin.index}, point.index, mark == marks_.end() ? 0 : mark->second};
  }

 private:
  const Program& program_;
  std::map<std::pair<LifetimeId, MarkKind>, size_t> marks_;
};

// Driver allocations that blocks of another layer lie in.
std::set<LifetimeId> segments_of(const Program& program) {
  std::vector<uint64_t> inner;
  for (const Lifetime& lifetime : program.lifetimes)
    if (!lifetime.driver && !lifetime.buffer)
      for (const Piece& piece : lifetime.pieces) inner.push_back(piece.range.begin);
  std::sort(inner.begin(), inner.end());
  std::set<LifetimeId> segments;
  for (size_t i = 0; i < program.lifetimes.size(); ++i) {
    const Lifetime& lifetime = program.lifetimes[i];
    if (!lifetime.driver) continue;
    for (const Piece& piece : lifetime.pieces) {
      const auto first = std::lower_bound(inner.begin(), inner.end(), piece.range.begin);
      if (first != inner.end() && *first < piece.range.end) segments.insert(LifetimeId(i));
    }
  }
  return segments;
}

}  // namespace

uint64_t pool_bytes(const Program& program, std::span<const RepairPart> parts) {
  const std::set<LifetimeId> segments = segments_of(program);
  const PoolPlaces places(program);
  const auto apart = [&](LifetimeId id) {
    return std::any_of(parts.begin(), parts.end(), [&](const RepairPart& part) {
      return part.kind == RepairKind::separate && part.accesses.empty() && part.lifetime == id;
    });
  };
  std::multimap<Place, int64_t> changes;
  int64_t now = 0;
  for (size_t i = 0; i < program.lifetimes.size(); ++i) {
    const Lifetime& lifetime = program.lifetimes[i];
    const LifetimeId id(i);
    if (lifetime.buffer || segments.contains(id)) continue;
    const auto bytes = static_cast<int64_t>(lifetime.bytes);
    const bool throughout = apart(id);
    if (throughout || !lifetime.alloc.known())
      now += bytes;
    else
      changes.emplace(places.of(lifetime.alloc, id, MarkKind::alloc), bytes);
    if (lifetime.free.known() && !throughout)
      changes.emplace(places.of(lifetime.free, id, MarkKind::free), -bytes);
  }
  int64_t most = now;
  for (const auto& [place, change] : changes) {
    now += change;
    most = std::max(most, now);
  }
  return static_cast<uint64_t>(std::max<int64_t>(most, 0));
}

}  // namespace bohr::fix

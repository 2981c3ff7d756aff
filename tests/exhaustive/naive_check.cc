// SPDX-License-Identifier: Apache-2.0
// Every rule of the case format over all unrolled uses, a use being one access of one step.
#include "exhaustive/naive_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace bohr::naive {

namespace {

struct Use {
  size_t step;
  OpId op;  // for a node, the launch
  NodeId node;
  const Op* work;
  const Access* access;
};

std::vector<Use> uses_of(const Program& program, const Order& order) {
  std::vector<Use> uses;
  for (size_t s = 0; s < order.steps.size(); ++s) {
    const Step& step = order.steps[s];
    for (const Access& access : work_accesses(program, step)) {
      if (!in_part(access, step.part)) continue;
      uses.push_back({s, step.op, step.node, &work_of(program, step), &access});
    }
  }
  return uses;
}

// What is the same in all launches.
using Identity = std::tuple<int32_t, int32_t>;
Identity identity(const Program& program, const Use& use) {
  if (!use.node.valid()) return {-1, use.op.value()};
  return {program.ops[use.op.index()].graph.value(), use.node.value()};
}

bool same_work(const Use& a, const Use& b) { return a.op == b.op && a.node == b.node; }

std::string name_of(const Program& program, const Use& use) {
  std::string name(label_of(program, *use.work));
  if (!use.node.valid()) return name;
  int launch = 0;
  for (size_t i = 0; i <= use.op.index(); ++i) {
    const Op& op = program.ops[i];
    if (op.kind == OpKind::launch && op.exec == program.ops[use.op.index()].exec) ++launch;
  }
  return launch == 1 ? name : name + "@" + std::to_string(launch);
}

bool conflict(const Access& a, const Access& b) {
  if (!a.range.overlaps(b.range)) return false;
  if (a.mode == AccessMode::atomic && b.mode == AccessMode::atomic) return false;
  return writes(a.mode) || writes(b.mode);
}

// RAW before WAW before WAR. Nothing for two reads.
std::optional<Hazard> kind_of(AccessMode first, AccessMode second) {
  if (writes(first) && reads(second)) return Hazard::raw;
  if (writes(first) && writes(second)) return Hazard::waw;
  if (reads(first) && writes(second)) return Hazard::war;
  return std::nullopt;
}

enum class By { agent, thread, launch, stream };
By by_whom(const Program& program, const Use& use) {
  if (use.node.valid()) return By::launch;
  if (use.work->kind != OpKind::touch) return By::stream;
  const bool agent = program.actors[use.work->actor.index()].kind == ActorKind::agent;
  return agent ? By::agent : By::thread;
}

bool rewrites_pinned_source(const Program& program, const Use& first, const Use& second) {
  const Lifetime& source = program.lifetimes[first.access->lifetime.index()];
  return first.work->kind == OpKind::copy && source.memory == MemoryKind::pinned &&
         !writes(first.access->mode) && writes(second.access->mode);
}

// External before host before launch before reuse before data: by rank, the lowest fits best.
int class_rank(const Program& program, const Use& first, const Use& second) {
  const By a = by_whom(program, first);
  const By b = by_whom(program, second);
  if (a == By::agent || b == By::agent) return 0;
  if (a == By::thread || b == By::thread) return 1;
  if (rewrites_pinned_source(program, first, second)) return 1;
  if ((a == By::launch || b == By::launch) && first.op != second.op) return 2;
  if (first.access->lifetime != second.access->lifetime) return 3;
  return 4;
}

HazardClass class_of_rank(int rank) {
  constexpr HazardClass kByRank[] = {HazardClass::external, HazardClass::host, HazardClass::launch,
                                     HazardClass::reuse, HazardClass::data};
  return kByRank[rank];
}

}  // namespace

std::vector<std::pair<size_t, size_t>> unordered_conflicts(const Program& program,
                                                           const Order& order) {
  std::vector<std::pair<size_t, size_t>> pairs;
  const std::vector<Use> uses = uses_of(program, order);
  for (const Use& second : uses) {
    for (const Use& first : uses) {
      if (first.step >= second.step || !order.unordered(first.step, second.step)) continue;
      if (conflict(*first.access, *second.access)) pairs.push_back({first.step, second.step});
    }
  }
  return pairs;
}

// One finding for a pair of ops or nodes in this order, named by the first launches where it
// happens; all their unordered accesses, in any launch, say what kind and class it is.
std::set<NaiveFinding> hazards_of(const Program& program, const Order& order) {
  struct Pair {
    int rank = 4;
    NaiveFinding finding;
  };
  std::map<std::pair<Identity, Identity>, Pair> pairs;
  const std::vector<Use> uses = uses_of(program, order);
  for (const Use& second : uses) {
    for (const Use& first : uses) {
      if (first.step >= second.step || same_work(first, second)) continue;
      if (!conflict(*first.access, *second.access)) continue;
      if (!order.unordered(first.step, second.step)) continue;
      const Hazard kind = *kind_of(first.access->mode, second.access->mode);
      const int rank = class_rank(program, first, second);
      const auto key = std::pair(identity(program, first), identity(program, second));
      const auto [found, inserted] = pairs.try_emplace(key);
      Pair& pair = found->second;
      if (inserted) {
        pair = {rank, {name_of(program, first), name_of(program, second), HazardClass::data, kind}};
      }
      pair.rank = std::min(pair.rank, rank);
      pair.finding.kind = std::min(pair.finding.kind, kind);
    }
  }
  std::set<NaiveFinding> findings;
  for (auto& [key, pair] : pairs) {
    pair.finding.cls = class_of_rank(pair.rank);
    findings.insert(pair.finding);
  }
  return findings;
}

namespace {

// Points that a hypothetical op of the owner stream at the free comes after: one list, or one for
// each launch of the graph in whose capture the block was freed, with that launch.
struct Hypothetical {
  OpId launch;   // invalid outside graphs
  size_t place;  // of the free's line among Program::ops
  std::vector<int32_t> after;
};

std::vector<Hypothetical> reuses_at_free(const Program& program, const Order& order,
                                         LifetimeId id) {
  const Lifetime& lifetime = program.lifetimes[id.index()];
  if (!lifetime.free.graph.valid()) {
    const auto place = static_cast<size_t>(lifetime.free.index);
    if (!lifetime.free.known() || place >= program.ops.size()) return {};
    Hypothetical reuse{
        OpId(), place,
        predecessors_at(program, order, lifetime.owner, program.ops[place].actor, place)};
    for (const OpId record : lifetime.use_records) {
      reuse.after.push_back(order.op_work[record.index()].end);
    }
    return {reuse};
  }
  std::vector<Hypothetical> reuses;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.kind != OpKind::launch || op.graph != lifetime.free.graph) continue;
    const Graph& graph = program.graphs[op.graph.index()];
    Hypothetical reuse{OpId(i), static_cast<size_t>(graph.begin.index), {order.op_work[i].begin}};
    for (const Mark& mark : graph.marks) {
      if (mark.kind != MarkKind::free || mark.lifetime != id) continue;
      for (const NodeId node : mark.frontier) {
        reuse.after.push_back(order.node_work.at({OpId(i), node}).end);
      }
    }
    reuses.push_back(reuse);
  }
  return reuses;
}

bool is_after(const Order& order, const Hypothetical& reuse, size_t step) {
  const int32_t point = order.step_point[step];
  return std::any_of(reuse.after.begin(), reuse.after.end(), [&](int32_t after) {
    return after == point || order.relation.before(point, after);
  });
}

bool issued_before(const Hypothetical& reuse, const Lifetime& lifetime, const Use& use) {
  if (reuse.launch.valid() && use.op == reuse.launch) {
    return use.node.value() < lifetime.free.index;
  }
  return use.op.index() < reuse.place;
}

// Lifetimes are numbered in the order in which they were handed out.
bool reused_later(const Program& program, LifetimeId id, const ByteRange& range) {
  for (size_t later = id.index() + 1; later < program.lifetimes.size(); ++later) {
    const Lifetime& lifetime = program.lifetimes[later];
    if (lifetime.buffer) continue;
    for (const Piece& piece : lifetime.pieces) {
      if (piece.range.overlaps(range)) return true;
    }
  }
  return false;
}

}  // namespace

std::set<NaiveFinding> lifetimes_of(const Program& program, const Order& order) {
  std::set<NaiveFinding> findings;
  const std::vector<Use> uses = uses_of(program, order);
  for (size_t l = 0; l < program.lifetimes.size(); ++l) {
    const Lifetime& lifetime = program.lifetimes[l];
    if (!lifetime.owner.valid() || !lifetime.free.known()) continue;
    // By user: whether some of its bytes were reused, and its finding.
    std::set<Identity> reused;
    std::map<Identity, NaiveFinding> found;
    for (const Use& use : uses) {
      if (use.access->lifetime != LifetimeId(l)) continue;
      if (reused_later(program, LifetimeId(l), use.access->range)) {
        reused.insert(identity(program, use));
      }
    }
    for (const Hypothetical& reuse : reuses_at_free(program, order, LifetimeId(l))) {
      for (const Use& use : uses) {
        if (use.access->lifetime != LifetimeId(l)) continue;
        const By by = by_whom(program, use);
        if (by == By::agent || by == By::thread) continue;
        if (!issued_before(reuse, lifetime, use)) continue;
        if (is_after(order, reuse, use.step) || reused.count(identity(program, use)) != 0) continue;
        const Hazard kind = *kind_of(use.access->mode, AccessMode::write);
        const auto [at, inserted] = found.try_emplace(identity(program, use));
        if (inserted) {
          at->second = {name_of(program, use), lifetime.name, HazardClass::lifetime, kind};
        } else {
          at->second.kind = std::min(at->second.kind, kind);
        }
      }
    }
    for (const auto& [who, finding] : found) findings.insert(finding);
  }
  return findings;
}

namespace {

// One elementary range of bytes, and who last wrote it.
struct Cell {
  ByteRange range;
  std::set<LifetimeId> written_by;
  const Use* last = nullptr;
};

std::vector<Cell> cut_cells(const std::vector<Use>& uses) {
  std::set<uint64_t> ends;
  for (const Use& use : uses) {
    ends.insert(use.access->range.begin);
    ends.insert(use.access->range.end);
  }
  std::vector<Cell> cells;
  for (auto end = ends.begin(); end != ends.end() && std::next(end) != ends.end(); ++end) {
    cells.push_back({{*end, *std::next(end)}, {}, nullptr});
  }
  return cells;
}

struct PoolSearch {
  const Program& program;
  const Order& order;
  const std::vector<Use>& uses;
  std::map<std::pair<Identity, LifetimeId>, NaiveFinding> found;

  // `own` belongs to the instance that the bytes were last written through another one of.
  void clobbered(const Use& own, const Use& writer);
};

// FIRST is the node with the address baked in: of two nodes the older instance's. Without a node
// there is nothing baked. SECOND is the first op that conflicts with it through the other instance,
// atomics counting as reads and writes; the kind is the first that holds of those two.
void PoolSearch::clobbered(const Use& own, const Use& writer) {
  if (order.unordered(own.step, writer.step)) return;
  const bool own_is_older = own.access->lifetime < writer.access->lifetime;
  const Use& older = own_is_older ? own : writer;
  const Use& newer = own_is_older ? writer : own;
  if (!older.node.valid() && !newer.node.valid()) return;
  const Use& first = older.node.valid() ? older : newer;
  const LifetimeId other = (older.node.valid() ? newer : older).access->lifetime;
  const Use* second = nullptr;
  Hazard kind = Hazard::war;
  for (const Use& theirs : uses) {
    if (theirs.access->lifetime != other) continue;
    if (second != nullptr && !same_work(*second, theirs)) continue;
    for (const Use& mine : uses) {
      if (!same_work(mine, first) || mine.access->lifetime != first.access->lifetime) continue;
      if (!mine.access->range.overlaps(theirs.access->range)) continue;
      const std::optional<Hazard> holds = kind_of(mine.access->mode, theirs.access->mode);
      if (!holds) continue;
      second = &theirs;
      kind = std::min(kind, *holds);
    }
  }
  const NaiveFinding finding{name_of(program, first), name_of(program, *second), HazardClass::pool,
                             kind};
  found.try_emplace({identity(program, first), other}, finding);
}

bool is_output(const Program& program, const Lifetime& lifetime) {
  const bool never_freed =
      !lifetime.free.known() || (!lifetime.free.graph.valid() &&
                                 static_cast<size_t>(lifetime.free.index) >= program.ops.size());
  return lifetime.live || (never_freed && !lifetime.scratch);
}

}  // namespace

std::set<NaiveFinding> pools_of(const Program& program, const Order& order) {
  const std::vector<Use> uses = uses_of(program, order);
  std::vector<Cell> cells = cut_cells(uses);
  PoolSearch search{program, order, uses, {}};
  const auto visit = [&](const Use& use, auto action) {
    for (Cell& cell : cells) {
      if (cell.range.overlaps(use.access->range)) action(cell);
    }
  };
  for (size_t s = 0; s < order.steps.size(); ++s) {
    for (const Use& use : uses) {
      if (use.step != s || !reads(use.access->mode)) continue;
      visit(use, [&](const Cell& cell) {
        const LifetimeId own = use.access->lifetime;
        if (cell.last == nullptr || cell.last->access->lifetime == own) return;
        if (cell.written_by.count(own) != 0) search.clobbered(use, *cell.last);
      });
    }
    for (const Use& use : uses) {
      if (use.step != s || !writes(use.access->mode)) continue;
      visit(use, [&](Cell& cell) {
        cell.written_by.insert(use.access->lifetime);
        cell.last = &use;
      });
    }
  }
  // What each instance left as output: its own last write, where another one's came later.
  for (const Cell& cell : cells) {
    if (cell.last == nullptr) continue;
    std::map<LifetimeId, const Use*> own_writes;
    for (const Use& use : uses) {
      if (writes(use.access->mode) && cell.range.overlaps(use.access->range)) {
        own_writes[use.access->lifetime] = &use;
      }
    }
    for (const auto& [own, write] : own_writes) {
      if (own == cell.last->access->lifetime) continue;
      if (!is_output(program, program.lifetimes[own.index()])) continue;
      search.clobbered(*write, *cell.last);
    }
  }
  std::set<NaiveFinding> findings;
  for (const auto& [key, finding] : search.found) findings.insert(finding);
  return findings;
}

std::set<NaiveFinding> findings_of(const Program& program) {
  const Order order = happens_before(program);
  std::set<NaiveFinding> findings = hazards_of(program, order);
  findings.merge(lifetimes_of(program, order));
  findings.merge(pools_of(program, order));
  return findings;
}

std::string describe(const NaiveFinding& finding) {
  return std::string(to_string(finding.kind)) + " " + finding.first + " " + finding.second +
         " class " + to_string(finding.cls);
}

}  // namespace bohr::naive

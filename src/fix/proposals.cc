// SPDX-License-Identifier: Apache-2.0
// Edges are looked for per graph, and once among ops outside graphs; a launch stands for its nodes
// there.
#include "fix/proposals.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "fix/apply.h"
#include "fix/edges.h"
#include "fix/hold_until.h"
#include "fix/repaired.h"
#include "fix/webs.h"

namespace bohr::fix {

namespace {

class Proposer {
 public:
  Proposer(const Setting& setting, const Cause& cause) : setting_(setting), cause_(cause) {
    for (size_t i = 0; i < setting.steps.steps.size(); ++i) {
      const Step& step = setting.steps.steps[i];
      first_step_.try_emplace({step.op, step.node}, static_cast<int32_t>(i));
      first_step_.try_emplace({step.op, NodeId()}, static_cast<int32_t>(i));
    }
    for (size_t i = 0; i < setting.program.ops.size(); ++i)
      if (const Op& op = setting.program.ops[i]; op.kind == OpKind::launch)
        first_launch_.try_emplace(op.graph, OpId(i));
  }

  std::vector<Repair> run() {
    std::vector<Repair> repairs;
    for (Repair repair : {held(), ordered(), apart(), split()}) {
      repair.cause = cause_.id;
      if (!repair.parts.empty()) repairs.push_back(std::move(repair));
    }
    std::stable_sort(repairs.begin(), repairs.end(), [](const Repair& a, const Repair& b) {
      return a.parts.size() < b.parts.size();
    });
    return repairs;
  }

 private:
  // --- memory ---

  bool two_instances(const Finding& finding) const {
    return finding.cls == HazardClass::lifetime ||
           finding.first.lifetime != finding.second.lifetime;
  }

  Repair held() {
    Repair repair;
    repair.kind = RepairKind::lifetime;
    std::set<LifetimeId> blocks;
    for (const Finding& finding : findings())
      if (two_instances(finding) && is_freed(finding.first.lifetime))
        blocks.insert(finding.first.lifetime);
    for (const LifetimeId block : blocks) {
      RepairPart part = part_of(RepairKind::lifetime, block);
      // A graph uses its addresses for as long as it is launched.
      if (cause_.cls != HazardClass::pool) part.until = join_after(setting_, block);
      if (!keeps_apart(part)) part.until = {};
      if (part.until.known()) name_until(block, &part);
      for (const LifetimeId moved : moved_by(setting_.program, part))
        repair.more_bytes += setting_.program.lifetimes[moved.index()].bytes;
      repair.parts.push_back(std::move(part));
    }
    return repair;
  }

  // Whether none of the instances that race with the block still gets its bytes. One on another
  // stream than the owner may: it knows nothing of what the owner has waited for.
  bool keeps_apart(const RepairPart& part) const {
    const std::vector<LifetimeId> moved = moved_by(setting_.program, part);
    for (const Finding& finding : findings()) {
      const LifetimeId other = finding.second.lifetime;
      const bool one = finding.first.lifetime == part.lifetime && other != part.lifetime &&
                       finding.cls != HazardClass::lifetime;
      if (one && std::find(moved.begin(), moved.end(), other) == moved.end()) return false;
    }
    return true;
  }

  Repair apart() {
    Repair repair;
    repair.kind = RepairKind::separate;
    std::set<LifetimeId> blocks;
    for (const Finding& finding : findings())
      if (finding.cls != HazardClass::lifetime && two_instances(finding))
        blocks.insert(finding.second.lifetime);
    for (const LifetimeId block : blocks) {
      repair.parts.push_back(part_of(RepairKind::separate, block));
      repair.more_bytes += setting_.program.lifetimes[block.index()].bytes;
    }
    return repair;
  }

  // Memory of their own for values that share a block, and the edges that are then still missing.
  // Kernels that update in place write elsewhere only where nothing less does.
  Repair split() const {
    std::set<LifetimeId> blocks;
    for (const Finding& finding : findings())
      if (!two_instances(finding) && finding.first.lifetime.valid())
        blocks.insert(finding.first.lifetime);
    Repair repair = split(blocks, false);
    if (mends(repair, blocks)) return repair;
    Repair parted = split(blocks, true);
    return mends(parted, blocks) ? parted : repair;
  }

  bool mends(const Repair& repair, const std::set<LifetimeId>& blocks) const {
    const auto parted = repaired(setting_, repair.parts);
    if (!parted.ok() || !left_in(parted.value(), blocks).empty()) return false;
    const auto kept = keeps_intents(setting_, parted.value().program, blocks);
    return kept.ok() && kept.value();
  }

  Repair split(const std::set<LifetimeId>& blocks, bool parts_updates) const {
    Repair repair;
    repair.kind = RepairKind::separate;
    for (const LifetimeId block : blocks) {
      std::vector<Web> webs = webs_of(setting_, block, parts_updates);
      const bool all =
          std::all_of(webs.begin(), webs.end(), [](const Web& w) { return w.movable; });
      for (size_t i = all ? 1 : 0; i < webs.size(); ++i) {
        if (!webs[i].movable) continue;
        RepairPart part = part_of(RepairKind::separate, block);
        part.accesses = std::move(webs[i].accesses);
        part.second = users_of(part.accesses);
        repair.more_bytes += setting_.program.lifetimes[block.index()].bytes;
        repair.parts.push_back(std::move(part));
      }
    }
    if (!repair.parts.empty()) add_missing_edges(blocks, &repair);
    return repair;
  }

  // The causes that a program with repairs still has on these blocks, or on what they were split
  // into.
  std::vector<Cause> left_in(const Repaired& parted, const std::set<LifetimeId>& blocks) const {
    const auto verdict = check::check(parted.program, parted.check);
    std::vector<Cause> left;
    if (!verdict.ok()) return left;
    const auto ours = [&](int32_t index) {
      const Finding& finding = verdict.value().findings[static_cast<size_t>(index)];
      return blocks.contains(finding.first.lifetime) ||
             finding.first.lifetime.index() >= setting_.program.lifetimes.size();
    };
    for (const Cause& cause : verdict.value().causes)
      if (std::any_of(cause.findings.begin(), cause.findings.end(), ours)) left.push_back(cause);
    return left;
  }

  // Those of the program in which these blocks are split. It has no fewer ops, so that places are
  // the same in both.
  void add_missing_edges(const std::set<LifetimeId>& blocks, Repair* repair) const {
    const auto parted = repaired(setting_, repair->parts);
    if (!parted.ok()) return repair->parts.clear();
    const auto verdict = check::check(parted.value().program, parted.value().check);
    if (!verdict.ok()) return repair->parts.clear();
    const auto setting =
        setting_of(parted.value().program, verdict.value(), parted.value().check, setting_.shown);
    if (!setting.ok()) return repair->parts.clear();
    for (const Cause& cause : left_in(parted.value(), blocks))
      for (RepairPart& edge : Proposer(setting.value(), cause).ordered().parts)
        if (std::find(repair->parts.begin(), repair->parts.end(), edge) == repair->parts.end())
          repair->parts.push_back(std::move(edge));
  }

  // "a, b": the ops behind accesses, each once.
  std::string users_of(const std::vector<AccessRef>& accesses) const {
    std::string text;
    std::set<std::string> told;
    const auto add = [&](const std::vector<Op>& ops, GraphId graph) {
      for (const Op& op : ops)
        for (const AccessRef& access : accesses) {
          const bool own = access.graph == graph && access.index >= op.access_begin &&
                           access.index < op.access_begin + op.access_count;
          const std::string label(label_of(setting_.program, op));
          if (own && told.insert(label).second) text += (text.empty() ? "" : ", ") + label;
        }
    };
    for (size_t g = 0; g < setting_.program.graphs.size(); ++g)
      add(setting_.program.graphs[g].nodes, GraphId(g));
    add(setting_.program.ops, GraphId());
    return text;
  }

  bool is_freed(LifetimeId id) const {
    return id.valid() && setting_.program.lifetimes[id.index()].free.known();
  }

  RepairPart part_of(RepairKind kind, LifetimeId block) const {
    const Lifetime& lifetime = setting_.program.lifetimes[block.index()];
    RepairPart part;
    part.kind = kind;
    part.lifetime = block;
    part.first = lifetime.name;
    part.first_stack = kind == RepairKind::lifetime ? lifetime.free_stack : lifetime.alloc_stack;
    return part;
  }

  // By the first work of the owner stream from there on.
  void name_until(LifetimeId block, RepairPart* part) const {
    const Point& point = part->until;
    const std::vector<Op>& places = point.graph.valid()
                                        ? setting_.program.graphs[point.graph.index()].nodes
                                        : setting_.program.ops;
    const StreamId owner = setting_.program.lifetimes[block.index()].owner;
    for (auto at = static_cast<size_t>(point.index); at < places.size(); ++at) {
      if (places[at].stream != owner || !is_work(places[at].kind)) continue;
      part->second = label_of(setting_.program, places[at]);
      part->second_stack = places[at].stack;
      return;
    }
  }

  // --- edges ---

  // Two sides as places of one graph, or as ops; in the direction of the right order.
  struct Pair {
    GraphId graph;
    Ordered places;
  };

  Repair ordered() {
    Repair repair;
    repair.kind = RepairKind::edge;
    const bool no_pair = cause_.cls == HazardClass::lifetime || cause_.cls == HazardClass::pool;
    if (no_pair || (setting_.right_place.empty() && !setting_.program.recorded)) return repair;
    std::map<GraphId, std::vector<Ordered>> pairs;
    for (const Finding& finding : findings()) {
      const std::vector<Pair> found = pairs_of(finding);
      if (found.empty()) return repair;
      for (const Pair& pair : found) pairs[pair.graph].push_back(pair.places);
    }
    for (auto& [graph, list] : pairs) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      for (const Ordered& edge : edges_in(graph, list))
        repair.parts.push_back(edge_of(graph, edge));
    }
    return repair;
  }

  // Several where a side is a node of a graph that is launched more than once.
  std::vector<Pair> pairs_of(const Finding& finding) {
    const Side &first = finding.first, &second = finding.second;
    const bool inside =
        first.graph.valid() && first.graph == second.graph && finding.cls != HazardClass::launch;
    if (inside)
      return {directed({first.graph, {first.node.value(), second.node.value()}}, finding)};
    std::vector<Pair> pairs;
    const std::vector<OpId> firsts = of_one_exec(ops_of(first)), seconds = ops_of(second);
    const bool one = firsts.size() == 1 && seconds.size() == 1;
    for (const OpId b : seconds) {
      const OpId a = one ? firsts.front() : last_unordered(firsts, b);
      // No record and wait makes an op wait for one that is issued later.
      if (!a.valid() || a.value() >= b.value()) continue;
      const Pair pair = directed({GraphId(), {a.value(), b.value()}}, finding);
      if (pair.places.first < pair.places.second) pairs.push_back(pair);
    }
    return pairs;
  }

  // A finding names the first launch that is too early; those of one exec wait for each other, so
  // the last one before the other side is the one to wait for.
  std::vector<OpId> of_one_exec(std::vector<OpId> named) const {
    const auto& ops = setting_.program.ops;
    if (named.size() != 1 || ops[named.front().index()].kind != OpKind::launch) return named;
    const ExecId exec = ops[named.front().index()].exec;
    if (!exec.valid()) return named;
    named.clear();
    for (size_t i = 0; i < ops.size(); ++i)
      if (ops[i].kind == OpKind::launch && ops[i].exec == exec) named.emplace_back(i);
    return named;
  }

  // Of ops that come one after the other the last one issued before `b` that it does not wait for.
  OpId last_unordered(const std::vector<OpId>& ops, OpId b) const {
    for (size_t i = ops.size(); i-- > 0;)
      if (ops[i] < b && !setting_.ops.before(ops[i], b)) return ops[i];
    return OpId();
  }

  // The op of a side; of a node of a graph all its launches, unless the finding names one, and of
  // an access by the CPU all that stand at the same place of the source: a finding names the first.
  std::vector<OpId> ops_of(const Side& side) const {
    const auto& ops = setting_.program.ops;
    // A finding of class host names the first launch alone.
    const bool any_launch = side.graph.valid() && cause_.cls == HazardClass::host;
    const Op* named = side.op.valid() && !any_launch ? &ops[side.op.index()] : nullptr;
    if (named && named->kind != OpKind::touch) return {side.op};
    std::vector<OpId> list;
    for (size_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      const bool same = named ? op.kind == named->kind && op.actor == named->actor &&
                                    op.label == named->label && op.stack == named->stack
                              : op.kind == OpKind::launch && op.graph == side.graph;
      if (same) list.emplace_back(i);
    }
    return list;
  }

  Pair directed(Pair pair, const Finding& finding) {
    const Side *first = &finding.first, *second = &finding.second;
    // Of two instances the older is done with before the younger begins, whatever else is right.
    const bool known = !setting_.right_place.empty() || setting_.shown.contains(pair.graph);
    const bool by_issue = two_instances(finding) || !known;
    if (!by_issue && place(pair.graph, pair.places.first) > place(pair.graph, pair.places.second))
      std::swap(pair.places.first, pair.places.second), std::swap(first, second);
    // Reports name sides with their numbers and launches; edges are named the same.
    sides_.try_emplace({pair.graph, pair.places.first}, first);
    sides_.try_emplace({pair.graph, pair.places.second}, second);
    return pair;
  }

  std::vector<Ordered> edges_in(GraphId graph, const std::vector<Ordered>& pairs) const {
    Places places;
    std::vector<int32_t> nodes;
    if (graph.valid()) {
      nodes.resize(setting_.program.graphs[graph.index()].nodes.size());
      std::iota(nodes.begin(), nodes.end(), 0);
    } else {
      for (const Ordered& pair : pairs) nodes.push_back(pair.first), nodes.push_back(pair.second);
    }
    places.all = nodes;
    places.before = [&](int32_t a, int32_t b) {
      return graph.valid() ? setting_.graphs[graph.index()].before(NodeId(a), NodeId(b))
                           : setting_.ops.before(OpId(a), OpId(b));
    };
    // Outside graphs issue order binds as well, and pairs point forward in it.
    places.place = [&](int32_t at) { return graph.valid() ? place(graph, at) : int64_t{at}; };
    return covering_edges(pairs, places);
  }

  int64_t place(GraphId graph, int32_t at) const {
    if (const auto shown = setting_.shown.find(graph); shown != setting_.shown.end())
      return shown->second[static_cast<size_t>(at)];
    const auto launch = graph.valid() ? first_launch_.find(graph) : first_launch_.end();
    if (setting_.right_place.empty()) return at;
    const bool inside = launch != first_launch_.end();
    const auto found = inside ? first_step_.find({launch->second, NodeId(at)})
                              : first_step_.find({OpId(at), NodeId()});
    return found == first_step_.end() ? at
                                      : setting_.right_place[static_cast<size_t>(found->second)];
  }

  RepairPart edge_of(GraphId graph, const Ordered& edge) const {
    RepairPart part;
    part.graph = graph;
    part.from = edge.first, part.to = edge.second;
    name_end(graph, edge.first, &part.first, &part.first_stack);
    name_end(graph, edge.second, &part.second, &part.second_stack);
    return part;
  }

  // As reports name the side; an end that is no side of a finding by its own label.
  void name_end(GraphId graph, int32_t at, std::string* label, StackId* stack) const {
    const auto side = sides_.find({graph, at});
    if (side != sides_.end()) {
      *label = side->second->label, *stack = side->second->stack;
      return;
    }
    const Op& op = graph.valid()
                       ? setting_.program.graphs[graph.index()].nodes[static_cast<size_t>(at)]
                       : setting_.program.ops[static_cast<size_t>(at)];
    *label = label_of(setting_.program, op), *stack = op.stack;
  }

  std::vector<std::reference_wrapper<const Finding>> findings() const {
    std::vector<std::reference_wrapper<const Finding>> list;
    for (const int32_t index : cause_.findings)
      list.emplace_back(setting_.verdict.findings[static_cast<size_t>(index)]);
    return list;
  }

  const Setting& setting_;
  const Cause& cause_;
  std::map<std::pair<OpId, NodeId>, int32_t> first_step_;
  std::map<GraphId, OpId> first_launch_;
  std::map<std::pair<GraphId, int32_t>, const Side*> sides_;
};

}  // namespace

std::vector<Repair> proposals_for(const Setting& setting, const Cause& cause) {
  return Proposer(setting, cause).run();
}

}  // namespace bohr::fix

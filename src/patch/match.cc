// SPDX-License-Identifier: Apache-2.0
// Order inside a graph is what its full edges say: a programmatic one lets the later node start
// early. Reachability is searched anew for each first node of a pair, which are few.
#include "patch/match.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace bohr::patch {

namespace {

constexpr size_t kMostPairs = 1'000'000;  // of nodes that are looked at in an unknown topology

class Reach {
 public:
  explicit Reach(const GraphView& graph) : next_(graph.nodes.size()) {
    const trace::Edges& edges = graph.edges;
    for (size_t i = 0; i < edges.from.size(); ++i)
      if ((edges.types[i] & 0xff) == 0 && edges.from[i] < next_.size())
        add({static_cast<uint32_t>(edges.from[i]), static_cast<uint32_t>(edges.to[i])});
  }
  void add(NewEdge edge) {
    next_[edge.from].push_back(edge.to);
    known_.clear();
  }
  bool before(uint32_t first, uint32_t second) {
    const auto [found, fresh] = known_.try_emplace(first);
    std::vector<bool>& seen = found->second;
    if (!fresh) return seen[second];
    seen.resize(next_.size());
    std::vector<uint32_t> open = {first};
    while (!open.empty()) {
      const uint32_t node = open.back();
      open.pop_back();
      for (const uint32_t after : next_[node]) {
        if (after >= seen.size() || seen[after]) continue;
        seen[after] = true;
        open.push_back(after);
      }
    }
    return seen[second];
  }
  bool ordered(uint32_t a, uint32_t b) { return before(a, b) || before(b, a); }

 private:
  std::vector<std::vector<uint32_t>> next_;
  std::map<uint32_t, std::vector<bool>> known_;
};

enum class Shares : uint8_t { yes, no, unknown };

Shares shares(const GraphView& graph, const SharedPair& pair, uint32_t first, uint32_t second) {
  const auto a = address_of(graph, first, pair.first);
  const auto b = address_of(graph, second, pair.second);
  if (!a || !b || *a < pair.first.into || *b < pair.second.into) return Shares::unknown;
  const uint64_t begin = *a - pair.first.into, other = *b - pair.second.into;
  const bool apart =
      begin < other ? other - begin >= pair.first.bytes : begin - other >= pair.second.bytes;
  return apart ? Shares::no : Shares::yes;
}

bool adds_circle(Reach* reach, const std::vector<NewEdge>& edges) {
  for (const NewEdge& edge : edges) {
    if (edge.from == edge.to || reach->before(edge.to, edge.from)) return true;
    reach->add(edge);
  }
  return false;
}

Match unresolved(std::string why) { return {Need::unresolved, {}, {}, std::move(why)}; }

// What one entry of the file says of a graph of its topology.
Match match_entry(const FixGraph& entry, const GraphView& graph, bool same_sizes) {
  Reach reach(graph);
  Match result{Need::not_needed, {}, {}, {}};
  bool unknown = false;
  for (const SharedPair& pair : entry.pairs) {
    const NewEdge nodes{pair.first.node, pair.second.node};
    if (reach.ordered(nodes.from, nodes.to)) continue;
    const Shares one = shares(graph, pair, nodes.from, nodes.to);
    // An address that is not in the node was found in a graph like this one.
    if (one == Shares::yes || (one == Shares::unknown && same_sizes)) result.pairs.push_back(nodes);
    unknown = unknown || one != Shares::yes;
  }
  if (result.pairs.empty() && unknown && !same_sizes)
    return unresolved(
        "no graph of these sizes was recorded, so how far its blocks reach is not known");
  if (result.pairs.empty()) return result;
  result.need = Need::needed;
  for (const NewEdge& edge : entry.edges)
    if (!reach.before(edge.from, edge.to)) result.edges.push_back(edge);
  if (adds_circle(&reach, result.edges)) return unresolved("the edges would make a circle");
  for (const NewEdge& pair : result.pairs)
    if (!reach.ordered(pair.from, pair.to))
      return unresolved("more of its nodes race than the edges put in order");
  return result;
}

// Whether two uses are one kernel's of one field.
bool is_like(const Use& a, const Use& b) {
  return a.kernel == b.kernel && a.inside == b.inside && a.field == b.field &&
         a.offset == b.offset && a.into == b.into;
}

// The pairs of all entries that have edges, each kernel's once, with the smallest blocks that were
// seen: how far those of a graph of another topology reach is not known.
std::vector<SharedPair> narrowest(const FixFile& file) {
  std::vector<SharedPair> all;
  for (const FixGraph& entry : file.graphs) {
    if (entry.edges.empty()) continue;
    for (const SharedPair& pair : entry.pairs) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const SharedPair& known) {
        return is_like(known.first, pair.first) && is_like(known.second, pair.second);
      });
      if (same == all.end()) {
        all.push_back(pair);
      } else {
        same->first.bytes = std::min(same->first.bytes, pair.first.bytes);
        same->second.bytes = std::min(same->second.bytes, pair.second.bytes);
      }
    }
  }
  return all;
}

// The mistake in a graph of another topology.
bool has_mistake(const FixFile& file, const GraphView& graph) {
  std::map<std::string, std::vector<uint32_t>> by_kernel;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i)
    by_kernel[kernel_of(graph, graph.nodes[i])].push_back(i);
  Reach reach(graph);
  size_t looked_at = 0;
  for (const SharedPair& pair : narrowest(file)) {
    const auto firsts = by_kernel.find(pair.first.kernel);
    const auto seconds = by_kernel.find(pair.second.kernel);
    if (firsts == by_kernel.end() || seconds == by_kernel.end()) continue;
    for (const uint32_t a : firsts->second)
      for (const uint32_t b : seconds->second) {
        if (++looked_at > kMostPairs) return false;
        if (a != b && shares(graph, pair, a, b) == Shares::yes && !reach.ordered(a, b)) return true;
      }
  }
  return false;
}

void add_new(const std::vector<NewEdge>& more, std::vector<NewEdge>* all) {
  for (const NewEdge& edge : more)
    if (std::find(all->begin(), all->end(), edge) == all->end()) all->push_back(edge);
}

// Two answers of entries of one topology become one: what any of them wants to have is wanted.
void join(const Match& more, Match* all) {
  if (more.need == Need::needed && all->need == Need::needed) {
    add_new(more.edges, &all->edges);
    add_new(more.pairs, &all->pairs);
  } else if (more.need == Need::needed || (more.need > all->need && all->need != Need::needed)) {
    *all = more;
  }
}

bool is_same_place(const Use& a, const Use& b) {
  return a.node == b.node && a.inside == b.inside && a.field == b.field && a.offset == b.offset;
}

// The largest blocks of each pair over all entries of one topology.
FixGraph widest(const FixFile& file, uint64_t topology) {
  FixGraph all;
  for (const FixGraph& entry : file.graphs) {
    if (entry.topology != topology) continue;
    add_new(entry.edges, &all.edges);
    for (const SharedPair& pair : entry.pairs) {
      const auto same = std::find_if(all.pairs.begin(), all.pairs.end(), [&](const auto& known) {
        return is_same_place(known.first, pair.first) && is_same_place(known.second, pair.second);
      });
      if (same == all.pairs.end()) {
        all.pairs.push_back(pair);
      } else {
        same->first.bytes = std::max(same->first.bytes, pair.first.bytes);
        same->second.bytes = std::max(same->second.bytes, pair.second.bytes);
      }
    }
  }
  return all;
}

}  // namespace

std::optional<uint64_t> address_of(const GraphView& graph, uint32_t index, const Use& use) {
  const trace::Node* found = node_of(graph, index, use.inside);
  if (found == nullptr) return std::nullopt;
  const trace::Node& node = *found;
  switch (use.field) {
    case Field::destination:
      return node.dst;
    case Field::source:
      return node.src;
    case Field::parameter: {
      uint64_t value = 0;
      if (uint64_t{use.offset} + sizeof value > node.params.size()) return std::nullopt;
      std::memcpy(&value, node.params.data() + use.offset, sizeof value);
      return value;
    }
    case Field::none:
      break;
  }
  return std::nullopt;
}

Match match(const FixFile& file, const GraphView& graph) {
  const uint64_t topology = topology_key(graph), sizes = sizes_key(graph);
  const auto fits = [&](const FixGraph& entry) {
    return entry.topology == topology && entry.nodes == graph.nodes.size();
  };
  Match result;
  for (const FixGraph& entry : file.graphs)
    if (fits(entry) && entry.sizes == sizes) join(match_entry(entry, graph, true), &result);
  if (result.need != Need::elsewhere) {
    Reach reach(graph);
    if (adds_circle(&reach, result.edges)) return unresolved("the edges would make a circle");
    return result;
  }
  if (std::any_of(file.graphs.begin(), file.graphs.end(), fits))
    return match_entry(widest(file, topology), graph, false);
  if (has_mistake(file, graph))
    return unresolved("it has the mistake, but its nodes or edges are those of no recorded graph");
  return result;
}

bool makes_circle(const GraphView& graph, const std::vector<NewEdge>& edges) {
  Reach reach(graph);
  return adds_circle(&reach, edges);
}

bool in_order(const GraphView& graph, const std::vector<NewEdge>& pairs) {
  Reach reach(graph);
  return std::all_of(pairs.begin(), pairs.end(),
                     [&](const NewEdge& pair) { return reach.ordered(pair.from, pair.to); });
}

}  // namespace bohr::patch

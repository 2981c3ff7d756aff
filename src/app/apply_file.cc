// SPDX-License-Identifier: Apache-2.0
// A graph of the program is the graph record of its number and those of its child graphs; one that
// an exec was changed to is the record that it was made from. The file names the driver's graphs:
// an edge inside a child graph is that graph's own, and where one side lies in a child graph and
// the other does not, the whole child graph waits, or is waited for.
#include "app/apply_file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "agent/environment.h"
#include "app/files.h"
#include "app/held_fix.h"
#include "app/recorded_graphs.h"
#include "app/run_dir.h"
#include "fix/edge_form.h"
#include "patch/graph_key.h"
#include "patch/match.h"
#include "report/repairs.h"
#include "trace/open.h"

namespace bohr::app {

namespace fs = std::filesystem;

namespace {

class Writer {
 public:
  Writer(const Checked& checked, const trace::Log& log)
      : checked_(checked), program_(checked.program), recorded_(log) {
    for (const Graph& graph : program_.graphs)
      levels_.push_back(levels_of(recorded_, graph.recorded));
  }

  void add(const fix::EdgeForm& form, patch::FixFile* file) {
    std::set<std::string> without(form.without.begin(), form.without.end());
    std::map<Place, std::vector<patch::NewEdge>> edges;
    for (const RepairPart& part : form.parts) {
      const std::string text = report::part_text(program_, part);
      const auto pair = pair_of(part.graph, part.from, part.to);
      if (pair && add_edge(pair->edge(), view({part.graph, pair->level}),
                           &edges[{part.graph, pair->level}]))
        file->repairs.push_back(text);
      else
        without.insert(text);
    }
    const size_t first = file->graphs.size();
    for (auto& [place, list] : edges)
      if (!list.empty()) file->graphs.push_back(racy(place, std::move(list)));
    add_twins(first, file);
    file->without_edges.insert(file->without_edges.end(), without.begin(), without.end());
  }

 private:
  // One of the driver's graphs: a level of a graph of the program.
  struct Place {
    GraphId graph;
    int32_t level = 0;
    auto operator<=>(const Place&) const = default;
  };

  const Level& level_of(const Place& place) const {
    return levels_[place.graph.index()][static_cast<size_t>(place.level)];
  }
  patch::GraphView view(const Place& place) const { return recorded_.view(*level_of(place).graph); }

  // Where a node stands in the driver's graphs. Nothing: in none that was read.
  std::optional<LevelNode> find(GraphId graph, int32_t node) const {
    const Graph& own = program_.graphs[graph.index()];
    if (static_cast<size_t>(node) >= own.recorded_nodes.size()) return std::nullopt;
    return find_node(levels_[graph.index()], own.recorded_nodes[static_cast<size_t>(node)]);
  }

  std::optional<LevelPair> pair_of(GraphId graph, int32_t from, int32_t to) const {
    const auto a = find(graph, from), b = find(graph, to);
    if (!a || !b) return std::nullopt;
    LevelPair pair = in_one_graph(levels_[graph.index()], *a, *b);
    const patch::GraphView there = view({graph, pair.level});
    for (const HeldNode* held : {&pair.first, &pair.second})
      if (patch::node_of(there, held->node, held->inside) == nullptr) return std::nullopt;
    return pair;
  }

  // A child graph that is to wait whole may have to wait for itself: no such edge.
  static bool add_edge(patch::NewEdge edge, const patch::GraphView& graph,
                       std::vector<patch::NewEdge>* edges) {
    std::vector<patch::NewEdge> more = *edges;
    if (std::find(more.begin(), more.end(), edge) == more.end()) more.push_back(edge);
    if (patch::makes_circle(graph, more)) return false;
    *edges = std::move(more);
    return true;
  }

  patch::FixGraph head_of(const Place& place) const {
    const patch::GraphView graph = view(place);
    patch::FixGraph entry;
    entry.name = program_.graphs[place.graph.index()].name;
    entry.topology = patch::topology_key(graph);
    entry.sizes = patch::sizes_key(graph);
    entry.nodes = static_cast<uint32_t>(graph.nodes.size());
    return entry;
  }

  // What races in the graph and the edges put in order; what they do not is not theirs to mend.
  patch::FixGraph racy(const Place& place, std::vector<patch::NewEdge> edges) const {
    patch::FixGraph entry = head_of(place);
    entry.edges = std::move(edges);
    trace::Edges all = level_of(place).graph->edges;
    for (const patch::NewEdge& edge : entry.edges)
      all.from.push_back(edge.from), all.to.push_back(edge.to), all.types.push_back(0);
    const patch::GraphView graph = view(place);
    const patch::GraphView mended{graph.nodes, all, graph.name_of, graph.children};
    for (const Cause& cause : checked_.verdict.causes)
      for (const int32_t index : cause.findings) {
        const Finding& finding = checked_.verdict.findings[static_cast<size_t>(index)];
        const Side &first = finding.first, &second = finding.second;
        if (first.graph != place.graph || second.graph != place.graph || !first.node.valid() ||
            !second.node.valid())
          continue;
        const auto pair = pair_of(place.graph, first.node.value(), second.node.value());
        if (pair && pair->level == place.level && patch::in_order(mended, {pair->edge()}))
          entry.pairs.push_back({use_of(place, pair->first, first.node, first.lifetime),
                                 use_of(place, pair->second, second.node, second.lifetime),
                                 cause.site});
      }
    return entry;
  }

  patch::Use use_of(const Place& place, const HeldNode& held, NodeId node, LifetimeId block) const {
    const patch::GraphView graph = view(place);
    const trace::Node& record = *patch::node_of(graph, held.node, held.inside);
    patch::Use use;
    use.node = held.node, use.inside = held.inside;
    use.kernel = patch::kernel_of(graph, record);
    if (!block.valid() || program_.lifetimes[block.index()].pieces.empty()) return use;
    const Lifetime& lifetime = program_.lifetimes[block.index()];
    const ByteRange range = lifetime.pieces.front().range;
    use.bytes = lifetime.bytes;
    const Graph& own = program_.graphs[place.graph.index()];
    const Op& op = own.nodes[node.index()];
    if (op.kind == OpKind::kernel) {
      // What was observed names no parameter, and one of a structure may be doubted as a leftover.
      const auto at = patch::address_in(record, range);
      if (!at) return use;
      use.field = patch::Field::parameter;
      use.offset = at->offset;
      use.into = at->address - range.begin;
      return use;
    }
    for (const Access& access : accesses_of(own, op)) {
      if (access.lifetime != block || access.source != AccessSource::copy) continue;
      use.field = writes(access.mode) ? patch::Field::destination : patch::Field::source;
      use.into = access.range.begin - range.begin;
      return use;
    }
    return use;
  }

  // The graphs of the same topology in which nothing races: their blocks have sizes of their own.
  void add_twins(size_t first, patch::FixFile* file) const {
    const size_t last = file->graphs.size();
    std::set<std::pair<uint64_t, uint64_t>> known;
    for (size_t i = first; i < last; ++i)
      known.insert({file->graphs[i].topology, file->graphs[i].sizes});
    for (size_t g = 0; g < levels_.size(); ++g)
      for (size_t level = 0; level < levels_[g].size(); ++level) {
        const Place place{GraphId(g), static_cast<int32_t>(level)};
        patch::FixGraph twin = head_of(place);
        const auto racy =
            std::find_if(file->graphs.begin() + static_cast<ptrdiff_t>(first),
                         file->graphs.begin() + static_cast<ptrdiff_t>(last),
                         [&](const patch::FixGraph& one) { return one.topology == twin.topology; });
        if (racy == file->graphs.begin() + static_cast<ptrdiff_t>(last)) continue;
        if (!known.insert({twin.topology, twin.sizes}).second) continue;
        twin.edges = racy->edges, twin.pairs = racy->pairs;
        for (patch::SharedPair& pair : twin.pairs)
          resize(place, &pair.first), resize(place, &pair.second);
        file->graphs.push_back(std::move(twin));
      }
  }

  // The block that the same field of the same node names in another graph.
  void resize(const Place& place, patch::Use* use) const {
    const auto address = patch::address_of(view(place), use->node, *use);
    const std::vector<Level>& levels = levels_[place.graph.index()];
    const auto at = find_node(levels, place.level, {use->node, use->inside});
    if (!address || !at) return;
    const int32_t number = number_of(levels, *at);
    const Graph& own = program_.graphs[place.graph.index()];
    for (size_t n = 0; n < own.nodes.size(); ++n) {
      if (own.recorded_nodes.size() <= n || own.recorded_nodes[n] != number) continue;
      for (const Access& access : accesses_of(own, own.nodes[n])) {
        if (!access.lifetime.valid()) continue;
        const Lifetime& block = program_.lifetimes[access.lifetime.index()];
        if (block.pieces.empty() || *address < block.pieces.front().range.begin ||
            *address >= block.pieces.front().range.end)
          continue;
        use->bytes = block.bytes;
        use->into = *address - block.pieces.front().range.begin;
        return;
      }
    }
  }

  const Checked& checked_;
  const Program& program_;
  RecordedGraphs recorded_;
  std::vector<std::vector<Level>> levels_;  // of each graph of the program
};

// Parts that the check does not need were dropped before they were tried.
bool was_refuted(const Fixed& fixed, const Cause& cause, const Repair& edges) {
  if (!fixed.repairs) return false;
  return std::ranges::any_of(fixed.repairs->proposals, [&](const Repair& tried) {
    return tried.kind == RepairKind::edge && tried.failed &&
           site_of(fixed.explored.checked.verdict, tried.cause) == cause.site &&
           std::ranges::all_of(tried.parts, [&](const RepairPart& part) {
             return std::ranges::find(edges.parts, part) != edges.parts.end();
           });
  });
}

}  // namespace

Result<patch::FixFile> fix_file_of(std::span<const Fixed> fixed, std::span<const trace::Log> logs,
                                   const CheckOptions& check) {
  patch::FixFile file;
  for (const Fixed& one : fixed) {
    const Checked& checked = one.narrowed ? *one.narrowed : one.explored.checked;
    if (checked.verdict.findings.empty()) continue;
    const auto log = std::find_if(logs.begin(), logs.end(), [&](const trace::Log& known) {
      return known.source == checked.program.source;
    });
    if (log == logs.end()) continue;
    if (file.made_from.empty()) file.made_from = checked.name;
    BOHR_TRY(form,
             fix::edge_form(checked.program, checked.verdict, check_options(check, one.explored),
                            shown_in(checked.program, one.explored),
                            [&](const Cause& cause, const Repair& edges) {
                              return was_refuted(one, cause, edges);
                            }));
    Writer(checked, *log).add(form, &file);
  }
  return file;
}

Status save_fix_file(std::span<const Fixed> fixed, const std::string& path, const std::string& to,
                     const CheckOptions& check) {
  std::vector<trace::Log> logs;
  if (is_directory(path)) {
    logs = read_logs(path);
  } else {
    BOHR_TRY(input, trace::read_input(path));
    if (input.format == trace::Format::text) {
      return Error{"fix-no-log", path, "", "a case has no graphs that a driver knows",
                   "only repairs of recorded programs can be applied"};
    }
    BOHR_TRY(read, trace::to_logs(input));
    logs = std::move(read);
  }
  const bool any = std::any_of(fixed.begin(), fixed.end(), [](const Fixed& one) {
    return !one.explored.checked.verdict.findings.empty();
  });
  if (!any) {
    return Error{"fix-nothing", path, "", "nothing was found in it, so there is nothing to apply",
                 "candidates are decided by bohr run --explore --fix"};
  }
  BOHR_TRY(file, fix_file_of(fixed, logs, check));
  BOHR_TRY_STATUS(patch::has_edge_form(file, path));
  return write_file(to, patch::to_text(file));
}

Result<patch::FixFile> read_fix_file(const std::string& path) {
  BOHR_TRY(text, read_text(path));
  BOHR_TRY(file, patch::parse_fix_file(text, path));
  BOHR_TRY_STATUS(patch::has_edge_form(file, path));
  return file;
}

std::vector<AppliedCounts> applied_in(const std::string& dir) {
  std::vector<AppliedCounts> list;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    if (entry.path().extension() != agent::kApplySuffix) continue;
    const auto text = read_text(entry.path().string());
    if (!text.ok()) continue;
    auto counts = patch::parse_counts(text.value(), entry.path().string());
    if (!counts.ok()) continue;
    list.push_back({std::move(counts).value(), entry.path().stem().string()});
  }
  std::sort(list.begin(), list.end(),
            [](const AppliedCounts& a, const AppliedCounts& b) { return a.stem < b.stem; });
  return list;
}

}  // namespace bohr::app

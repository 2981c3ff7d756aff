// SPDX-License-Identifier: Apache-2.0
// A graph of the program is the graph record of its number; one that an exec was changed to is the
// record that it was made from. Nodes of child graphs have numbers behind those of the graph
// itself, and no edge of the file may lead to one.
#include "app/apply_file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "agent/environment.h"
#include "app/files.h"
#include "app/run_dir.h"
#include "fix/edge_form.h"
#include "patch/graph_key.h"
#include "patch/match.h"
#include "report/repairs.h"
#include "trace/open.h"

namespace bohr::app {

namespace fs = std::filesystem;

namespace {

// What a log says of its graphs.
struct Recorded {
  struct Graph {
    std::vector<trace::Node> nodes;
    trace::Edges edges;
  };
  std::map<uint32_t, Graph> graphs;
  std::map<uint32_t, uint32_t> bases;  // of versions
  std::map<uint32_t, std::string> names;

  explicit Recorded(const trace::Log& log) {
    for (const trace::Record& record : log.records) {
      if (const auto* node = std::get_if<trace::Node>(&record))
        graphs[node->graph].nodes.push_back(*node);
      else if (const auto* edges = std::get_if<trace::Edges>(&record))
        graphs[edges->graph].edges = *edges;
      else if (const auto* version = std::get_if<trace::GraphVersion>(&record))
        bases[version->graph] = version->base;
      else if (const auto* function = std::get_if<trace::Function>(&record))
        names[function->function] = log.strings[function->name.id];
    }
  }
  // Null: not recorded.
  const Graph* graph(uint32_t number) const {
    for (auto base = bases.find(number); base != bases.end(); base = bases.find(number))
      number = base->second;
    const auto found = graphs.find(number);
    return found == graphs.end() ? nullptr : &found->second;
  }
  patch::GraphView view(const Graph& graph) const {
    return {graph.nodes, graph.edges, [this](uint32_t number) {
              const auto name = names.find(number);
              return name == names.end() ? std::string() : name->second;
            }};
  }
};

class Writer {
 public:
  Writer(const Checked& checked, const trace::Log& log)
      : checked_(checked), program_(checked.program), recorded_(log) {}

  void add(const fix::EdgeForm& form, patch::FixFile* file) {
    std::set<std::string> without(form.without.begin(), form.without.end());
    std::map<GraphId, std::vector<patch::NewEdge>> edges;
    for (const RepairPart& part : form.parts) {
      const auto edge = edge_of(part);
      if (edge) {
        edges[part.graph].push_back(*edge);
        file->repairs.push_back(report::part_text(program_, part));
      } else {
        without.insert(report::part_text(program_, part));
      }
    }
    const size_t first = file->graphs.size();
    for (auto& [graph, list] : edges) file->graphs.push_back(racy(graph, std::move(list)));
    add_twins(first, file);
    file->without_edges.insert(file->without_edges.end(), without.begin(), without.end());
  }

 private:
  const Recorded::Graph* recorded(GraphId graph) const {
    return recorded_.graph(program_.graphs[graph.index()].recorded);
  }

  // Where a node stands in the driver's graph. Nothing: not in the graph itself.
  std::optional<uint32_t> index_of(GraphId graph, int32_t node) const {
    const Graph& own = program_.graphs[graph.index()];
    const Recorded::Graph* record = recorded(graph);
    if (record == nullptr || static_cast<size_t>(node) >= own.recorded_nodes.size())
      return std::nullopt;
    const int32_t index = own.recorded_nodes[static_cast<size_t>(node)];
    if (index < 0 || static_cast<size_t>(index) >= record->nodes.size()) return std::nullopt;
    return static_cast<uint32_t>(index);
  }

  std::optional<patch::NewEdge> edge_of(const RepairPart& part) const {
    const auto from = index_of(part.graph, part.from), to = index_of(part.graph, part.to);
    if (!from || !to) return std::nullopt;
    return patch::NewEdge{*from, *to};
  }

  patch::FixGraph head_of(GraphId graph) const {
    const Recorded::Graph& record = *recorded(graph);
    patch::FixGraph entry;
    entry.name = program_.graphs[graph.index()].name;
    entry.topology = patch::topology_key(recorded_.view(record));
    entry.sizes = patch::sizes_key(recorded_.view(record));
    entry.nodes = static_cast<uint32_t>(record.nodes.size());
    return entry;
  }

  // Everything that races in the graph, for the edges put all of it in order.
  patch::FixGraph racy(GraphId graph, std::vector<patch::NewEdge> edges) const {
    patch::FixGraph entry = head_of(graph);
    entry.edges = std::move(edges);
    for (const Cause& cause : checked_.verdict.causes)
      for (const int32_t index : cause.findings) {
        const Finding& finding = checked_.verdict.findings[static_cast<size_t>(index)];
        const Side &first = finding.first, &second = finding.second;
        if (first.graph != graph || second.graph != graph || !first.node.valid() ||
            !second.node.valid())
          continue;
        const auto a = index_of(graph, first.node.value());
        const auto b = index_of(graph, second.node.value());
        if (a && b)
          entry.pairs.push_back({use_of(graph, *a, first.node, first.lifetime),
                                 use_of(graph, *b, second.node, second.lifetime), cause.site});
      }
    return entry;
  }

  patch::Use use_of(GraphId graph, uint32_t index, NodeId node, LifetimeId block) const {
    const Recorded::Graph& record = *recorded(graph);
    patch::Use use;
    use.node = index;
    use.kernel = patch::kernel_of(recorded_.view(record), record.nodes[index]);
    if (!block.valid() || program_.lifetimes[block.index()].pieces.empty()) return use;
    const Lifetime& lifetime = program_.lifetimes[block.index()];
    const ByteRange range = lifetime.pieces.front().range;
    use.bytes = lifetime.bytes;
    const Graph& own = program_.graphs[graph.index()];
    const Op& op = own.nodes[node.index()];
    if (op.kind == OpKind::kernel) {
      // What was observed names no parameter, and one of a structure may be doubted as a leftover.
      const auto at = patch::address_in(record.nodes[index], range);
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
    for (size_t g = 0; g < program_.graphs.size(); ++g) {
      if (recorded(GraphId(g)) == nullptr) continue;
      patch::FixGraph twin = head_of(GraphId(g));
      for (size_t i = first; i < last; ++i) {
        const patch::FixGraph& racy = file->graphs[i];
        if (racy.topology != twin.topology) continue;
        if (!known.insert({twin.topology, twin.sizes}).second) break;
        twin.edges = racy.edges, twin.pairs = racy.pairs;
        for (patch::SharedPair& pair : twin.pairs)
          resize(GraphId(g), &pair.first), resize(GraphId(g), &pair.second);
        file->graphs.push_back(std::move(twin));
        break;
      }
    }
  }

  // The block that the same field of the same node names in another graph.
  void resize(GraphId graph, patch::Use* use) const {
    const trace::Node& node = recorded(graph)->nodes[use->node];
    const auto address = patch::address_of(node, *use);
    if (!address) return;
    const Graph& own = program_.graphs[graph.index()];
    for (size_t n = 0; n < own.nodes.size(); ++n) {
      if (own.recorded_nodes.size() <= n ||
          own.recorded_nodes[n] != static_cast<int32_t>(use->node))
        continue;
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
  Recorded recorded_;
};

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
                            shown_in(checked.program, one.explored)));
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

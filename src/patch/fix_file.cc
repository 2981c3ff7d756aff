// SPDX-License-Identifier: Apache-2.0
#include "patch/fix_file.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "patch/json_numbers.h"

namespace bohr::patch {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "bohr.fix/1";
constexpr std::array kFields = {"parameter", "destination", "source", "none"};
constexpr int kHexDigits = 16;

Json json_of(const Use& use) {
  Json json = {
      {"node", use.node},     {"kernel", use.kernel}, {"field", kFields[size_t(use.field)]},
      {"offset", use.offset}, {"into", use.into},     {"bytes", use.bytes}};
  if (!use.inside.empty()) json["inside"] = use.inside;
  return json;
}

Json json_of(const FixGraph& graph) {
  Json json = {{"name", graph.name},
               {"topology", hex(graph.topology, kHexDigits)},
               {"sizes", hex(graph.sizes, kHexDigits)},
               {"nodes", graph.nodes},
               {"edges", Json::array()},
               {"pairs", Json::array()}};
  for (const NewEdge& edge : graph.edges) json["edges"].push_back({edge.from, edge.to});
  for (const SharedPair& pair : graph.pairs)
    json["pairs"].push_back(
        {{"site", pair.site}, {"first", json_of(pair.first)}, {"second", json_of(pair.second)}});
  return json;
}

// Throws what the library throws where a member is missing or of another kind.
uint64_t key_of(const Json& json) {
  const std::string text = json.get<std::string>();
  size_t used = 0;
  const uint64_t key = std::stoull(text, &used, 16);
  if (used != text.size() || text.size() > kHexDigits) throw std::invalid_argument(text);
  return key;
}

Use use_of(const Json& json) {
  Use use;
  use.node = whole<uint32_t>(json.at("node"));
  if (json.contains("inside"))
    for (const Json& index : json.at("inside")) use.inside.push_back(whole<uint32_t>(index));
  use.kernel = json.at("kernel").get<std::string>();
  const std::string field = json.at("field").get<std::string>();
  const auto known = std::find(kFields.begin(), kFields.end(), field);
  if (known == kFields.end()) throw std::invalid_argument(field);
  use.field = static_cast<Field>(known - kFields.begin());
  use.offset = whole<uint32_t>(json.at("offset"));
  use.into = whole<uint64_t>(json.at("into"));
  use.bytes = whole<uint64_t>(json.at("bytes"));
  return use;
}

FixGraph graph_of(const Json& json) {
  FixGraph graph;
  graph.name = json.at("name").get<std::string>();
  graph.topology = key_of(json.at("topology"));
  graph.sizes = key_of(json.at("sizes"));
  graph.nodes = whole<uint32_t>(json.at("nodes"));
  const auto inside = [&](uint32_t node) {
    if (node >= graph.nodes) throw std::invalid_argument("a node that the graph does not have");
    return node;
  };
  for (const Json& edge : json.at("edges"))
    graph.edges.push_back(
        {inside(whole<uint32_t>(edge.at(0))), inside(whole<uint32_t>(edge.at(1)))});
  for (const Json& pair : json.at("pairs")) {
    graph.pairs.push_back(
        {use_of(pair.at("first")), use_of(pair.at("second")), pair.at("site").get<std::string>()});
    inside(graph.pairs.back().first.node), inside(graph.pairs.back().second.node);
  }
  return graph;
}

// By taking away, one after the other, what no edge leads to.
bool has_cycle(const std::vector<NewEdge>& edges) {
  std::map<uint32_t, std::vector<uint32_t>> next;
  std::map<uint32_t, size_t> before;
  for (const NewEdge& edge : edges) {
    next[edge.from].push_back(edge.to);
    before[edge.from];
    ++before[edge.to];
  }
  std::vector<uint32_t> ready;
  for (const auto& [node, count] : before)
    if (count == 0) ready.push_back(node);
  size_t taken = 0;
  for (; taken < ready.size(); ++taken)
    for (const uint32_t node : next[ready[taken]])
      if (--before[node] == 0) ready.push_back(node);
  return taken < before.size();
}

Error damaged(const std::string& source, const std::string& why) {
  return {"fix-file", source, "", why, "write it again: bohr fix FILE --save FIX"};
}

}  // namespace

std::string to_text(const FixFile& file) {
  Json json = {{"schema", kSchema},
               {"made_from", file.made_from},
               {"repairs", file.repairs},
               {"without_edges", file.without_edges},
               {"graphs", Json::array()}};
  for (const FixGraph& graph : file.graphs) json["graphs"].push_back(json_of(graph));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<FixFile> parse_fix_file(std::string_view text, const std::string& source) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("schema")) return damaged(source, "this is no fix file");
  if (json["schema"] != kSchema) {
    return Error{"fix-file", source, "", "it was written by another version of bohr",
                 std::string("its schema must be ") + kSchema};
  }
  FixFile file;
  try {
    file.made_from = json.at("made_from").get<std::string>();
    file.repairs = json.at("repairs").get<std::vector<std::string>>();
    file.without_edges = json.at("without_edges").get<std::vector<std::string>>();
    for (const Json& graph : json.at("graphs")) file.graphs.push_back(graph_of(graph));
  } catch (const std::exception& error) {
    return damaged(source, std::string("it is damaged: ") + error.what());
  }
  for (const FixGraph& graph : file.graphs) {
    if (!has_cycle(graph.edges)) continue;
    return Error{"fix-cycle", source, graph.name,
                 "its edges form a circle, which no graph can have",
                 "write it again: bohr fix FILE --save FIX"};
  }
  return file;
}

Status has_edge_form(const FixFile& file, const std::string& source) {
  for (const FixGraph& graph : file.graphs)
    if (!graph.edges.empty()) return Nothing{};
  std::string sites;
  for (const std::string& site : file.without_edges) sites += (sites.empty() ? "" : ", ") + site;
  return Error{"fix-no-edge-form", source, sites,
               "no edge between nodes of a graph mends what it is for",
               "change the program as `bohr fix` says"};
}

}  // namespace bohr::patch

// SPDX-License-Identifier: Apache-2.0
#include "trace/import_index.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "trace/writer/recent_log.h"

namespace bohr::trace {

namespace {

constexpr size_t kMostVersionNodes = 1 << 22;  // nodes and edges

class Indexer {
 public:
  Indexer(const Log& log, Diagnostics* diagnostics) : log_(log), diagnostics_(diagnostics) {}

  void add(const Stream& r) { once(index_.streams[r.stream], r); }
  void add(const Thread& r) { once(index_.threads[r.thread], r); }
  void add(const Stack& r) { once(index_.stacks[r.stack], r); }
  void add(const Function& r) { once(index_.functions[r.function], r); }
  void add(const Graph& r) { once(index_.graphs[r.graph].graph, r); }
  void add(const GraphVersion& r) { once(index_.graphs[r.graph].version, r); }
  void add(const Node& r) { index_.graphs[r.graph].nodes.push_back(&r); }
  void add(const Edges& r) { index_.graphs[r.graph].edges.push_back(&r); }
  void add(const CaptureBegin& r) { once(index_.captures[r.capture].begin, r); }
  void add(const CaptureEnd& r) { once(index_.captures[r.capture].end, r); }
  void add(const AccessRecord& r) {
    const bool node = r.graph != 0;
    index_.accesses[{r.graph, node ? r.node : 0, node ? 0 : r.seq}].push_back(&r);
  }
  void add(const Conditional& r) { once(index_.conditionals[{r.graph, r.node}], r); }
  void add(const Name& r) {
    if (r.stream != 0)
      once(index_.stream_names[r.stream], r);
    else
      once(index_.memory_names[{r.address, r.seq}], r);
  }
  void add(const Scope& r) { once(index_.scope, r); }
  void add(const Mapping& r) { once(index_.mappings[{r.address, r.seq}], r); }
  void add(const BlockAlloc& r) { index_.block_allocs.push_back(&r); }
  void add(const BlockFree& r) { index_.block_frees.push_back(&r); }
  void add(const History& r) { index_.history.push_back(&r); }
  void add(const EntryCall& r) { index_.entry_calls.try_emplace(r.index, r.seq); }
  void add(const Segment& r) { index_.segments.push_back(&r); }
  void add(const Device& r) { index_.devices.push_back(&r); }
  void add(const Framework& r) { index_.frameworks.push_back(&r); }
  void add(const Provenance& r) { index_.provenance.push_back(&r); }
  void add(const TensorMap& r) { add_tensor_map(r, &index_.tensor_maps); }
  void add(const Timing& r) { index_.timings.push_back(&r); }
  void add(const Process& r) { once(index_.process, r); }
  void add(const Diagnostic& r) {
    if (text_of(log_, r.reason.id) == kRecentReason) index_.older_dropped = true;
  }
  template <class R>
  void add(const R&) {}

  LogIndex finish() {
    for (auto it = index_.graphs.begin(); it != index_.graphs.end();) {
      if (it->second.graph) {
        it->second.version = nullptr;
        sort_nodes(it->second);
        ++it;
        continue;
      }
      if (complete(it->first, &it->second)) {
        ++it;
        continue;
      }
      if (it->second.version)
        diagnostics_->add("lost-records", "a version of a graph that is not there whole", 0);
      else if (!it->second.nodes.empty() || !it->second.edges.empty())
        diagnostics_->add("lost-records", "nodes or edges of a graph that no record describes", 0);
      it = index_.graphs.erase(it);
    }
    for (const auto& [number, records] : index_.graphs)
      if (!records.version && records.graph->parent != 0)
        index_.graphs_in[{records.graph->parent, records.graph->parent_node}].push_back(number);
    std::stable_sort(index_.history.begin(), index_.history.end(),
                     [](const History* a, const History* b) { return a->index < b->index; });
    return std::move(index_);
  }

 private:
  template <class R>
  void once(const R*& slot, const R& record) {
    if (slot == nullptr)
      slot = &record;
    else
      diagnostics_->add("lost-records", std::string("a second '") + R::kName + "' of one number",
                        0);
  }

  void sort_nodes(GraphRecords& graph) {
    auto by_index = [](const Node* a, const Node* b) { return a->index < b->index; };
    std::stable_sort(graph.nodes.begin(), graph.nodes.end(), by_index);
    auto same = [](const Node* a, const Node* b) { return a->index == b->index; };
    const auto end = std::unique(graph.nodes.begin(), graph.nodes.end(), same);
    if (end != graph.nodes.end())
      diagnostics_->add("lost-records", "a second 'node' of one number", 0);
    graph.nodes.erase(end, graph.nodes.end());
  }

  // A version becomes what its base is, an earlier graph, but for its own nodes. How much they hold
  // is bounded, since a short log can name many versions of a long graph.
  bool complete(uint32_t number, GraphRecords* version) {
    if (!version->version) return false;
    const auto base = index_.graphs.find(version->version->base);
    if (base == index_.graphs.end() || base->first >= number) return false;
    const GraphRecords& from = base->second;
    size_t more = from.nodes.size();
    for (const Edges* edges : from.edges) more += edges->from.size();
    if (more > kMostVersionNodes - in_versions_) return false;
    in_versions_ += more;
    sort_nodes(*version);
    const std::vector<const Node*> own = std::move(version->nodes);
    version->graph = from.graph, version->nodes = from.nodes, version->edges = from.edges;
    for (const Node* node : own) {
      const auto it = std::lower_bound(version->nodes.begin(), version->nodes.end(), node->index,
                                       [](const Node* n, uint32_t i) { return n->index < i; });
      if (it == version->nodes.end() || (*it)->index != node->index) return false;
      *it = changed(**it, *node);
    }
    return own.size() == version->version->nodes;
  }

  const Node* changed(const Node& before, Node node) {
    const uint64_t set_at = node.seq;
    node.seq = before.seq, node.thread = before.thread, node.stack = before.stack;
    node.stream = before.stream, node.attributes = before.attributes;
    const Node* kept = &index_.version_nodes.emplace_back(std::move(node));
    index_.set_at[kept] = set_at;
    return kept;
  }

  const Log& log_;
  LogIndex index_;
  size_t in_versions_ = 0;
  Diagnostics* diagnostics_;
};

}  // namespace

LogIndex index_log(const Log& log, Diagnostics* diagnostics) {
  Indexer indexer(log, diagnostics);
  for (const Record& record : log.records)
    std::visit([&](const auto& r) { indexer.add(r); }, record);
  return indexer.finish();
}

void add_tensor_map(const TensorMap& map, TensorMaps* maps) {
  uint64_t word = 0;
  if (map.map.size() != kTensorMapBytes) return;
  std::memcpy(&word, map.map.data(), sizeof word);
  maps->first_words.insert(word);
  maps->maps.try_emplace({reinterpret_cast<const char*>(map.map.data()), kTensorMapBytes}, &map);
}

const TensorMap* tensor_map_at(const TensorMaps& maps, const Bytes& image, size_t at) {
  if (at + kTensorMapBytes > image.size()) return nullptr;
  uint64_t word = 0;
  std::memcpy(&word, image.data() + at, sizeof word);
  if (!maps.first_words.contains(word)) return nullptr;
  const auto found =
      maps.maps.find({reinterpret_cast<const char*>(image.data()) + at, kTensorMapBytes});
  return found == maps.maps.end() ? nullptr : found->second;
}

const Name* memory_name(const LogIndex& index, uint64_t address, uint64_t seq) {
  const auto it = index.memory_names.find({address, seq});
  return it == index.memory_names.end() ? nullptr : it->second;
}

}  // namespace bohr::trace

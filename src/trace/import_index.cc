// SPDX-License-Identifier: Apache-2.0
#include "trace/import_index.h"

#include <algorithm>
#include <type_traits>

namespace bohr::trace {

namespace {

class Indexer {
 public:
  explicit Indexer(Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  void add(const Stream& r) { once(index_.streams[r.stream], r); }
  void add(const Thread& r) { once(index_.threads[r.thread], r); }
  void add(const Stack& r) { once(index_.stacks[r.stack], r); }
  void add(const Function& r) { once(index_.functions[r.function], r); }
  void add(const Graph& r) { once(index_.graphs[r.graph].graph, r); }
  void add(const Node& r) { index_.graphs[r.graph].nodes.push_back(&r); }
  void add(const Edges& r) { index_.graphs[r.graph].edges.push_back(&r); }
  void add(const CaptureBegin& r) { once(index_.captures[r.capture].begin, r); }
  void add(const CaptureEnd& r) { once(index_.captures[r.capture].end, r); }
  void add(const AccessRecord& r) {
    const bool node = r.graph != 0;
    index_.accesses[{r.graph, node ? r.node : 0, node ? 0 : r.seq}].push_back(&r);
  }
  void add(const Name& r) {
    if (r.stream != 0)
      once(index_.stream_names[r.stream], r);
    else
      once(index_.memory_names[{r.address, r.seq}], r);
  }
  void add(const Scope& r) { once(index_.scope, r); }
  void add(const BlockAlloc& r) { index_.block_allocs.push_back(&r); }
  void add(const BlockFree& r) { index_.block_frees.push_back(&r); }
  void add(const History& r) { index_.history.push_back(&r); }
  void add(const Segment& r) { index_.segments.push_back(&r); }
  void add(const Device& r) { index_.devices.push_back(&r); }
  void add(const Framework& r) { index_.frameworks.push_back(&r); }
  void add(const Process& r) { once(index_.process, r); }
  template <class R>
  void add(const R&) {}

  LogIndex finish() {
    for (auto it = index_.graphs.begin(); it != index_.graphs.end();) {
      if (it->second.graph) {
        sort_nodes(it->second);
        ++it;
        continue;
      }
      if (!it->second.nodes.empty() || !it->second.edges.empty())
        diagnostics_->add("lost-records", "nodes or edges of a graph that no record describes", 0);
      it = index_.graphs.erase(it);
    }
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

  LogIndex index_;
  Diagnostics* diagnostics_;
};

}  // namespace

LogIndex index_log(const Log& log, Diagnostics* diagnostics) {
  Indexer indexer(diagnostics);
  for (const Record& record : log.records)
    std::visit([&](const auto& r) { indexer.add(r); }, record);
  return indexer.finish();
}

const Name* memory_name(const LogIndex& index, uint64_t address, uint64_t seq) {
  const auto it = index.memory_names.find({address, seq});
  return it == index.memory_names.end() ? nullptr : it->second;
}

}  // namespace bohr::trace

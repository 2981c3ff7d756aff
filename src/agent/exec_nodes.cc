// SPDX-License-Identifier: Apache-2.0
// A version is written once for what it says: a program that sets a node to one thing and to
// another in turn makes two of them. Their number is bounded, since each is a graph to whoever
// reads them.
#include "agent/exec_nodes.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "agent/calls.h"
#include "agent/copies.h"
#include "agent/node_records.h"

namespace bohr::agent {
namespace {

using replay::cuda::NodeWork;

constexpr size_t kMostVersions = 64;  // of one exec

// With the lock held. Null: the exec is not known, or what it holds is not.
ExecState* followed(Recorder& r, CUgraphExec exec) {
  const auto found = r.graphs.execs.find(exec);
  if (found == r.graphs.execs.end() || found->second.hold.changed) return nullptr;
  return found->second.nodes.handles ? &found->second : nullptr;
}

// Changes one node under the lock.
template <class Change>
bool change_node(Recorder& r, DriverCall& call, CUgraphNode node, Change&& change) {
  const trace::Call by = call_of(r, call);
  const trace::Text api = r.log->text(call.api->name);
  std::lock_guard lock(r.mutex);
  ExecState* exec = followed(r, exec_of(call));
  if (!exec) return false;
  ExecNodes& nodes = exec->nodes;
  const auto index = nodes.handles->find(node);
  if (index == nodes.handles->end()) return false;
  change(&nodes.changes[index->second]);
  nodes.told = false;
  nodes.call = by, nodes.api = api;
  return true;
}

bool set_node(Recorder& r, DriverCall& call, CUgraphNode node, trace::Node record,
              std::optional<NodeWork> work) {
  record.seq = call.seq;
  const uint64_t frees = r.frees.load(std::memory_order_relaxed);
  return change_node(r, call, node, [&](NodeChange* change) {
    change->record = std::move(record);
    change->work = std::move(work);
    change->frees = frees;
  });
}

// What the node did before, of which a kernel keeps its attributes.
std::optional<NodeWork> work_before(Recorder& r, CUgraphExec exec, CUgraphNode node) {
  std::lock_guard lock(r.mutex);
  const ExecState* state = followed(r, exec);
  if (!state || !state->hold.work) return std::nullopt;
  const auto index = state->nodes.handles->find(node);
  const auto& works = state->hold.work->nodes;
  if (index == state->nodes.handles->end() || index->second >= works.size()) return std::nullopt;
  return works[index->second];
}

std::optional<NodeWork> blank_work(const Recorder& r, CUgraphNodeType type) {
  if (!r.holding) return std::nullopt;
  NodeWork work;
  work.type = type;
  return work;
}

bool is_address(const MemoryMap& memory, uint64_t word) {
  const auto next = memory.ranges.upper_bound(word);
  return next != memory.ranges.begin() && word <= std::prev(next)->second.end;
}

// Whether two images hold the same tensor maps in the same places.
bool hold_the_same_maps(const TensorMaps& maps, const trace::Bytes& a, const trace::Bytes& b) {
  if (maps.bytes.empty()) return true;
  for (size_t at = 0; at + sizeof(CUtensorMap) <= a.size(); at += sizeof(uint64_t)) {
    if (std::memcmp(a.data() + at, b.data() + at, sizeof(CUtensorMap)) == 0) continue;
    for (const trace::Bytes* image : {&a, &b})
      if (maps.bytes.contains(
              {reinterpret_cast<const char*>(image->data()) + at, sizeof(CUtensorMap)}))
        return false;
  }
  return true;
}

// Whether two images name the same memory: numbers in them may differ, which the log does not need.
bool name_the_same(const Recorder& r, const trace::Bytes& a, const trace::Bytes& b) {
  const MemoryMap& memory = r.memory;
  if (a.size() != b.size() || !hold_the_same_maps(r.tensor_maps, a, b)) return false;
  for (size_t at = 0; at < a.size(); at += sizeof(uint64_t)) {
    uint64_t x = 0, y = 0;
    const size_t size = std::min(sizeof x, a.size() - at);
    std::memcpy(&x, a.data() + at, size);
    std::memcpy(&y, b.data() + at, size);
    if (x != y && (is_address(memory, x) || is_address(memory, y))) return false;
  }
  return true;
}

// To whoever reads the log. An address that was set again after something was freed may be of a
// later block.
bool alike(const Recorder& r, const NodeChange& a, const NodeChange& b) {
  if (a.disabled || b.disabled) return a.disabled == b.disabled;
  if (a.frees != b.frees || !name_the_same(r, a.record->params, b.record->params)) return false;
  trace::Node same = *a.record;
  same.params = b.record->params;
  same.seq = b.record->seq;
  return same == *b.record;
}

bool alike(const Recorder& r, const std::map<uint32_t, NodeChange>& a,
           const std::map<uint32_t, NodeChange>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return x.first == y.first && alike(r, x.second, y.second);
  });
}

std::map<uint32_t, NodeChange> not_of_base(const ExecNodes& nodes) {
  std::map<uint32_t, NodeChange> changed;
  for (const auto& [index, change] : nodes.changes)
    if (change.disabled || change.record)
      changed[index] = {change.disabled, change.record, {}, change.frees};
  return changed;
}

// With the lock held: the number of what the exec is now, and `fresh` where that is to be written.
// 0: there were too many.
uint32_t version_of(Recorder& r, ExecNodes* nodes, bool* fresh) {
  std::map<uint32_t, NodeChange> now = not_of_base(*nodes);
  if (now.empty()) return nodes->base;
  for (const ExecVersion& version : nodes->versions)
    if (alike(r, version.nodes, now)) return version.number;
  if (nodes->versions.size() >= kMostVersions) return 0;
  const uint32_t number = ++r.graphs.last_graph;
  nodes->versions.push_back({std::move(now), number});
  *fresh = true;
  return number;
}

void write_version(Recorder& r, const trace::GraphVersion& record, const ExecVersion& version) {
  r.log->append(record);
  for (const auto& [index, change] : version.nodes) {
    trace::Node node;
    if (change.disabled)
      node.type = CU_GRAPH_NODE_TYPE_EMPTY;
    else
      node = *change.record;
    node.graph = version.number, node.index = index;
    r.log->append(node);
  }
}

}  // namespace

CUgraphExec exec_of(const DriverCall& call) {
  return *static_cast<const CUgraphExec*>(call.params);
}

bool node_set(Recorder& r, DriverCall& call, CUgraphNode node,
              const CUDA_KERNEL_NODE_PARAMS& params) {
  trace::Node record;
  fill_kernel(r, params, &record);
  std::optional<NodeWork> work = work_before(r, exec_of(call), node);
  if (work && !replay::cuda::set_parameters(r.holding->driver, params, &work->kernel))
    work->refusal = "unreadable-node";
  return set_node(r, call, node, std::move(record), std::move(work));
}

bool node_set(Recorder& r, DriverCall& call, CUgraphNode node, const CUDA_MEMCPY3D& copy) {
  trace::Node record;
  record.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  fill_copy(shape_of(r, copy), &record);
  std::optional<NodeWork> work = blank_work(r, CU_GRAPH_NODE_TYPE_MEMCPY);
  if (work) work->copy = copy;
  return set_node(r, call, node, std::move(record), std::move(work));
}

bool node_set(Recorder& r, DriverCall& call, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS& set) {
  trace::Node record;
  fill_set(r, set, &record);
  std::optional<NodeWork> work = blank_work(r, CU_GRAPH_NODE_TYPE_MEMSET);
  if (work) work->set = set;
  return set_node(r, call, node, std::move(record), std::move(work));
}

bool node_set(Recorder& r, DriverCall& call, CUgraphNode node, const CUDA_HOST_NODE_PARAMS& host) {
  trace::Node record;
  record.type = CU_GRAPH_NODE_TYPE_HOST;
  std::optional<NodeWork> work = blank_work(r, CU_GRAPH_NODE_TYPE_HOST);
  if (work) work->host = host;
  return set_node(r, call, node, std::move(record), std::move(work));
}

bool node_enabled(Recorder& r, DriverCall& call, CUgraphNode node, bool enabled) {
  return change_node(r, call, node, [&](NodeChange* change) { change->disabled = !enabled; });
}

bool some_disabled(const ExecNodes& nodes) {
  return std::any_of(nodes.changes.begin(), nodes.changes.end(),
                     [](const auto& change) { return change.second.disabled; });
}

void updated_from(CUgraph graph, std::shared_ptr<const NodeHandles> handles, uint32_t number,
                  ExecNodes* nodes) {
  nodes->handles = graph == nodes->graph ? std::move(handles) : nullptr;
  nodes->base = number;
  nodes->changes.clear();
  nodes->versions.clear();
  nodes->told = true;
}

void log_changes(Recorder& r, CUgraphExec exec) {
  trace::ExecChange record;
  trace::GraphVersion version;
  ExecVersion written;
  bool fresh = false;
  {
    std::lock_guard lock(r.mutex);
    ExecState* state = followed(r, exec);
    if (!state || state->nodes.told) return;
    ExecNodes& nodes = state->nodes;
    nodes.told = true;
    state->launches = 0;
    record.graph = version_of(r, &nodes, &fresh);
    record.call = nodes.call, record.exec = state->number, record.api = nodes.api;
    if (fresh) written = nodes.versions.back();
    version.seq = nodes.call.seq, version.graph = record.graph, version.base = nodes.base;
    version.nodes = static_cast<uint32_t>(written.nodes.size());
    if (record.graph) state->hold.graph = record.graph;
    state->hold.changed = record.graph == 0;
  }
  if (fresh) write_version(r, version, written);
  r.log->append(record);
}

std::shared_ptr<const replay::cuda::GraphWork> work_with(
    const ExecNodes& nodes, std::shared_ptr<const replay::cuda::GraphWork> before) {
  if (!before || nodes.changes.empty()) return before;
  auto work = std::make_shared<replay::cuda::GraphWork>(*before);
  for (const auto& [index, change] : nodes.changes) {
    if (index >= work->nodes.size()) continue;
    NodeWork& node = work->nodes[index];
    if (change.disabled)
      node = NodeWork();
    else if (change.work)
      node = *change.work;
  }
  return work;
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// A child graph's nodes stand between two empty nodes: one opens it and takes the edges into the
// child node, the other closes it and gives the edges out of it. Every node of the child that no
// full edge leads to follows the first, every one that no full edge leaves precedes the second, so
// the order is that of the child node and the number of edges stays linear.
//
// Bodies of a conditional node stand in its place in the same way, one behind the other: they never
// run beside each other, and every path through them leads through the node. Their nodes mean what
// they meant when they were made, since bodies are filled after the node is there.
//
// Damaged input: a child is put in place only for the node that its own record names, so each is
// taken once and nesting ends; edges to nodes that are not there are left out and the graph is
// marked as not fully read. Cycles are left to the checker to refuse.
#include "trace/import_graphs.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "trace/record_words.h"

namespace bohr::trace {

namespace {

constexpr int kDeepestChild = 32;
constexpr uint64_t kMostNodes = std::numeric_limits<int32_t>::max();
constexpr size_t kMostInVersions = 1 << 22;  // nodes and edges, with those of children

EdgeKind edge_kind(uint64_t packed, bool* understood) {
  const uint64_t type = packed & 0xff;
  const uint64_t from_port = packed >> 8 & 0xff;
  *understood = type <= 1 && from_port <= 2;
  if (type == 0 && from_port == 0) return EdgeKind::full;
  if (from_port == 1 || (type == 1 && from_port == 0)) return EdgeKind::programmatic;
  return EdgeKind::launch_order;
}

class Planner {
 public:
  Planner(ImportState& state, GraphPlan* plan, std::set<uint32_t>* placed)
      : state_(state), plan_(plan), placed_(placed) {}

  void run(const GraphRecords& records) { level(records, 0, 0, 0); }

 private:
  struct Span {
    NodeId first;
    NodeId last;
  };
  // As in Graph::recorded_nodes: of a node, and of the first of its child.
  struct NodeNumbers {
    int32_t own = -1;
    uint64_t child = 0;
  };

  bohr::Graph& graph() { return state_.program.graphs[plan_->id.index()]; }

  // `seq` not 0: the moment that all nodes are taken to be made at. What was set later keeps its
  // place in the order, and means what it meant when it was set.
  // `first`: the number of its first node.
  std::vector<Span> level(const GraphRecords& records, uint64_t seq, int depth, uint64_t first) {
    const std::vector<uint64_t> seqs = effective_seqs(records, seq);
    const std::vector<uint64_t> children = child_numbers(records, depth, first);
    std::vector<size_t> order(records.nodes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return seqs[a] < seqs[b]; });
    std::vector<Span> spans(records.nodes.size());
    for (const size_t i : order) {
      const auto set = state_.index.set_at.find(records.nodes[i]);
      const bool later = set != state_.index.set_at.end() && set->second > seqs[i];
      const NodeNumbers numbers{number_of(first + records.nodes[i]->index), children[i]};
      spans[i] = place(*records.nodes[i], later ? set->second : seqs[i], depth, numbers);
    }
    note_missing(records);
    add_edges(records, spans);
    return spans;
  }

  // Nodes whose call is not known were made with the node listed before them.
  static std::vector<uint64_t> effective_seqs(const GraphRecords& records, uint64_t seq) {
    std::vector<uint64_t> seqs;
    uint64_t last = records.graph->capture == 0 ? records.graph->seq : 0;
    for (const Node* node : records.nodes) {
      if (seq != 0)
        last = seq;
      else if (node->seq != 0)
        last = node->seq;
      seqs.push_back(last);
    }
    // Of a capture's first nodes nothing came before; they go with the first known.
    for (size_t i = seqs.size(); i-- > 1;)
      if (seqs[i - 1] == 0) seqs[i - 1] = seqs[i];
    for (uint64_t& s : seqs)
      if (s == 0) s = records.graph->seq;
    return seqs;
  }

  static int32_t number_of(uint64_t number) {
    return number <= kMostNodes ? static_cast<int32_t>(number) : -1;
  }

  // How many numbers a graph and its children take.
  uint64_t count(const GraphRecords& records, int depth) const {
    uint64_t all = records.graph->nodes;
    for (const Node* node : records.nodes)
      if (const GraphRecords* child = child_of(*node, depth)) all += count(*child, depth + 1);
    return all;
  }

  // For each node the number of its child's first; nodes stand in the order of their index.
  std::vector<uint64_t> child_numbers(const GraphRecords& records, int depth,
                                      uint64_t first) const {
    uint64_t next = first + records.graph->nodes;
    std::vector<uint64_t> numbers;
    for (const Node* node : records.nodes) {
      numbers.push_back(next);
      if (const GraphRecords* child = child_of(*node, depth)) next += count(*child, depth + 1);
    }
    return numbers;
  }

  NodeId push(const Node* record, uint64_t seq, int depth, int32_t number, const Op& op) {
    const NodeId id(graph().nodes.size());
    graph().nodes.push_back(op);
    graph().nodes.back().conditional = in_bodies_ > 0;
    plan_->nodes.push_back({record, seq, id, record && depth == 0, number});
    return id;
  }

  Span place(const Node& record, uint64_t seq, int depth, const NodeNumbers& numbers) {
    const Op op = node_op(record);
    if (record.type == kNodeConditional) return conditional(record, seq, depth, numbers, op);
    if (record.type != kNodeChild) {
      const NodeId id = push(&record, seq, depth, numbers.own, op);
      return {id, id};
    }
    const GraphRecords* child = child_of(record, depth);
    if (!child || !placed_->insert(record.child).second)
      return unread_child(record, seq, depth, op);
    Op bracket = op;
    bracket.kind = OpKind::empty;
    const NodeId open = push(&record, seq, depth, numbers.own, bracket);
    const size_t first_edge = graph().edges.size();
    const std::vector<Span> spans = level(*child, seq, depth + 1, numbers.child);
    const NodeId close = push(nullptr, seq, depth, numbers.own, bracket);
    plan_->nodes[open.index()].last = close;
    enclose(open, close, spans, first_edge);
    return {open, close};
  }

  // The bodies, or nothing where not all were read.
  std::vector<const GraphRecords*> bodies_of(const Node& record, int depth) const {
    const std::pair key(record.graph, record.index);
    const auto known = state_.index.conditionals.find(key);
    const auto inside = state_.index.graphs_in.find(key);
    std::vector<const GraphRecords*> bodies;
    if (known == state_.index.conditionals.end() || inside == state_.index.graphs_in.end() ||
        inside->second.size() != known->second->bodies || depth >= kDeepestChild)
      return bodies;
    for (const uint32_t number : inside->second) {
      if (!placed_->insert(number).second) return {};
      bodies.push_back(&state_.index.graphs.at(number));
    }
    return bodies;
  }

  Span conditional(const Node& record, uint64_t seq, int depth, const NodeNumbers& numbers, Op op) {
    const std::vector<const GraphRecords*> bodies = bodies_of(record, depth);
    if (bodies.empty()) {
      unmodelled(&op, "conditional", "unknown-access", false);
      const NodeId id = push(&record, seq, depth, numbers.own, op);
      return {id, id};
    }
    const Conditional& known = *state_.index.conditionals.at({record.graph, record.index});
    op.label = state_.tables.name(kConditionWords[static_cast<size_t>(known.condition)]);
    const NodeId open = push(&record, seq, depth, numbers.own, op);
    NodeId close = open;
    ++in_bodies_;
    for (const GraphRecords* body : bodies) {
      const NodeId before = close;
      const size_t first_edge = graph().edges.size();
      const std::vector<Span> spans = level(*body, 0, depth + 1, kMostNodes + 1);
      close = push(nullptr, seq, depth, -1, op);
      enclose(before, close, spans, first_edge);
    }
    --in_bodies_;
    plan_->nodes[open.index()].last = close;
    return {open, close};
  }

  // Null for other nodes, and where the child was not read.
  const GraphRecords* child_of(const Node& record, int depth) const {
    if (record.type != kNodeChild) return nullptr;
    const auto it = state_.index.graphs.find(record.child);
    if (record.child == 0 || it == state_.index.graphs.end() || depth >= kDeepestChild)
      return nullptr;
    const Graph& child = *it->second.graph;
    if (child.parent != record.graph || child.parent_node != record.index) return nullptr;
    return &it->second;
  }

  Span unread_child(const Node& record, uint64_t seq, int depth, Op op) {
    op.kind = OpKind::child;
    op.unknown = true;
    state_.diagnostics.add("unknown-access", "child graphs that were not read", 0);
    const NodeId id = push(&record, seq, depth, -1, op);
    return {id, id};
  }

  void enclose(NodeId open, NodeId close, const std::vector<Span>& spans, size_t first_edge) {
    std::vector<Edge>& edges = graph().edges;
    std::set<NodeId> entered;
    std::set<NodeId> left;
    for (size_t i = first_edge; i < edges.size(); ++i) {
      if (edges[i].kind != EdgeKind::full) continue;
      entered.insert(edges[i].to);
      left.insert(edges[i].from);
    }
    edges.push_back({open, close, EdgeKind::full});
    for (const Span& span : spans) {
      if (!entered.count(span.first)) edges.push_back({open, span.first, EdgeKind::full});
      if (!left.count(span.last)) edges.push_back({span.last, close, EdgeKind::full});
    }
  }

  void note_missing(const GraphRecords& records) {
    size_t edges = 0;
    for (const Edges* list : records.edges) edges += list->from.size();
    if (records.graph->complete && records.nodes.size() == records.graph->nodes &&
        edges == records.graph->edges)
      return;
    graph().fully_read = false;
    state_.diagnostics.add("lost-records", "graphs whose nodes or edges were not all read",
                           records.graph->seq);
  }

  // The place of a node among the recorded ones; npos if it is not there.
  static size_t position(const GraphRecords& records, uint64_t index) {
    const auto it = std::lower_bound(records.nodes.begin(), records.nodes.end(), index,
                                     [](const Node* n, uint64_t i) { return n->index < i; });
    const bool found = it != records.nodes.end() && (*it)->index == index;
    return found ? static_cast<size_t>(it - records.nodes.begin()) : std::string::npos;
  }

  void add_edges(const GraphRecords& records, const std::vector<Span>& spans) {
    for (const Edges* list : records.edges) {
      const size_t count = std::min(list->from.size(), list->to.size());
      bool damaged = list->from.size() != list->to.size() || list->types.size() < count;
      for (size_t i = 0; i < count; ++i) {
        const size_t from = position(records, list->from[i]);
        const size_t to = position(records, list->to[i]);
        bool understood = false;
        const EdgeKind kind = edge_kind(i < list->types.size() ? list->types[i] : 0, &understood);
        damaged = damaged || !understood;
        if (from == std::string::npos || to == std::string::npos)
          damaged = true;
        else
          graph().edges.push_back({spans[from].last, spans[to].first,
                                   decided(kind, *records.nodes[from], *records.nodes[to])});
      }
      if (!damaged) continue;
      graph().fully_read = false;
      state_.diagnostics.add("lost-records", "edges of a graph that make no sense",
                             records.graph->seq);
    }
  }

  GridCode code_of(const Node& record) const {
    const auto function = state_.index.functions.find(record.function);
    if (record.type != kNodeKernel || function == state_.index.functions.end() || !function->second)
      return {};
    const auto found = state_.grid_codes.find(text_of(state_.log, function->second->name.id));
    return found == state_.grid_codes.end() ? GridCode() : found->second;
  }

  // A programmatic edge to a kernel that waits first is as good as a full one. To one that never
  // waits it orders nothing, if what it comes from lets it start early.
  EdgeKind decided(EdgeKind kind, const Node& from, const Node& to) const {
    if (kind != EdgeKind::programmatic) return kind;
    const GridWait wait = code_of(to).wait;
    if (wait == GridWait::first) return EdgeKind::full;
    return wait == GridWait::never && code_of(from).triggers ? EdgeKind::launch_order : kind;
  }

  Op node_op(const Node& record) {
    Op op;
    op.actor = state_.tables.thread(record.thread);
    op.stream = state_.tables.stream(record.stream, record.seq);
    op.stack = state_.tables.stack(record.stack);
    op.enter = op.exit = to_place(record.seq);
    op.programmatic = (record.attributes & kAttributeProgrammatic) != 0;
    set_kind(record, &op);
    return op;
  }

  // A batch that only writes is a signal. Older logs do not say what a batch does.
  static bool waits(uint32_t attributes) {
    return (attributes & (kAttributeWaitsForValue | kAttributeWritesValue)) !=
           kAttributeWritesValue;
  }
  static const char* batch_label(uint32_t attributes) {
    const uint32_t both = kAttributeWaitsForValue | kAttributeWritesValue;
    if ((attributes & both) == kAttributeWaitsForValue) return "value wait";
    if ((attributes & both) == kAttributeWritesValue) return "value write";
    return "batch memory operation";
  }

  void set_kind(const Node& record, Op* op) {
    switch (record.type) {
      case kNodeKernel:
        op->kind = OpKind::kernel;
        if ((record.attributes & kAttributeDeviceUpdatable) != 0) updatable(op);
        return;
      case kNodeCopy:
        op->kind = OpKind::copy;
        return;
      case kNodeSet:
        op->kind = OpKind::fill;
        op->label = state_.tables.name("memset");
        return;
      case kNodeHost:
        op->kind = OpKind::callback;
        op->unknown = true;
        op->label = state_.tables.name("host function");
        return;
      case kNodeChild:
        op->label = state_.tables.name("child graph");
        return;
      case kNodeEmpty:
        op->label = state_.tables.name("empty");
        return;
      case kNodeMemAlloc:
        op->label = state_.tables.name("memory allocation");
        return;
      case kNodeMemFree:
        op->label = state_.tables.name("memory free");
        return;
      case kNodeEventWait:
        unmodelled(op, "external event wait", "foreign-event", true);
        return;
      case kNodeEventRecord:
        unmodelled(op, "external event record", "foreign-event", false);
        return;
      case kNodeSemaphoreSignal:
        unmodelled(op, "external semaphore signal", "unmodelled-synchronisation", false);
        return;
      case kNodeSemaphoreWait:
        unmodelled(op, "external semaphore wait", "unmodelled-synchronisation", true);
        return;
      case kNodeBatchMemOp:
        unmodelled(op, batch_label(record.attributes), "unmodelled-synchronisation",
                   waits(record.attributes));
        return;
      case kNodeConditional:  // unless its bodies are read
        return;
      default:
        unmodelled(op, "node of an unknown type", "unknown-access", true);
    }
  }

  // What was read of it may be old by the time that it runs.
  void updatable(Op* op) {
    op->unknown = true;
    state_.diagnostics.add("device-updatable-node",
                           "graph nodes: kernels that the device may change", 0);
  }

  void unmodelled(Op* op, const char* label, const char* reason, bool order) {
    op->kind = OpKind::unmodelled;
    op->unknown = true;
    op->order_unknown = order;
    op->label = state_.tables.name(label);
    const std::string text = std::string("graph nodes: ") + label;
    state_.diagnostics.add(reason, text, 0);
  }

  ImportState& state_;
  GraphPlan* plan_;
  std::set<uint32_t>* placed_;
  int in_bodies_ = 0;  // of conditional nodes, one in the other
};

// Graphs that some exec runs, or ran after a change.
std::set<uint32_t> run_graphs(const Log& log) {
  std::set<uint32_t> run;
  for (const Record& record : log.records) {
    if (const Exec* exec = std::get_if<Exec>(&record)) run.insert(exec->graph);
    if (const ExecChange* change = std::get_if<ExecChange>(&record)) run.insert(change->graph);
  }
  return run;
}

// The graph that holds it in the end; 0 where that is not known.
uint32_t outermost(const LogIndex& index, uint32_t number) {
  for (int depth = 0; depth <= kDeepestChild; ++depth) {
    const auto it = index.graphs.find(number);
    if (it == index.graphs.end()) return 0;
    if (it->second.graph->parent == 0) return number;
    number = it->second.graph->parent;
  }
  return 0;
}

std::vector<uint64_t> node_seqs(const GraphRecords& records) {
  std::vector<uint64_t> seqs;
  for (const Node* node : records.nodes)
    if (node->seq != 0) seqs.push_back(node->seq);
  std::sort(seqs.begin(), seqs.end());
  return seqs;
}

// A captured graph that was changed before it was instantiated was read twice, and the second
// reading is what runs. It stands for the capture: the first is left out. Calls that made nodes
// have numbers of their own, so the second holds those of the first. What was captured into the
// body of a conditional node runs in what holds that node.
struct ReadAgain {
  uint32_t graph = 0;  // that runs
  bool body = false;   // it is in the body of one of that graph's nodes
};
std::map<uint32_t, ReadAgain> read_again(const LogIndex& index, const std::set<uint32_t>& run) {
  std::map<uint64_t, std::pair<ReadAgain, std::vector<uint64_t>>> later;  // by their first call
  for (const auto& [number, records] : index.graphs) {
    const uint32_t top = records.version ? 0 : outermost(index, number);
    if (top == 0 || !run.count(top) || records.graph->capture != 0) continue;
    std::vector<uint64_t> seqs = node_seqs(records);
    if (!seqs.empty())
      later.try_emplace(seqs.front(), ReadAgain{top, top != number}, std::move(seqs));
  }
  std::map<uint32_t, ReadAgain> again;
  for (const auto& [number, records] : index.graphs) {
    if (run.count(number) || records.graph->capture == 0 || records.graph->parent != 0) continue;
    const std::vector<uint64_t> seqs = node_seqs(records);
    const auto it = seqs.empty() ? later.end() : later.find(seqs.front());
    if (it == later.end()) continue;
    const std::vector<uint64_t>& all = it->second.second;
    if (!std::includes(all.begin(), all.end(), seqs.begin(), seqs.end())) continue;
    again[number] = it->second.first;
    later.erase(it);
  }
  return again;
}

std::string graph_name(const Log& log, const Graph& record) {
  const std::string_view name = text_of(log, record.name.id);
  return name.empty() ? "graph " + std::to_string(record.graph) : std::string(name);
}

GraphPlan& add_graph(ImportState& state, GraphPlans& plans, uint32_t number, std::string name) {
  const GraphId id(state.program.graphs.size());
  state.program.graphs.emplace_back();
  state.program.graphs.back().name = std::move(name);
  state.program.graphs.back().recorded = number;
  plans.by_number[number] = id;
  plans.plans.emplace_back();
  plans.plans.back().id = id;
  return plans.plans.back();
}

}  // namespace

GraphPlans plan_graphs(ImportState& state) {
  GraphPlans plans;
  const std::set<uint32_t> run = run_graphs(state.log);
  const std::map<uint32_t, ReadAgain> again = read_again(state.index, run);
  size_t in_versions = 0;
  for (const auto& [number, records] : state.index.graphs) {
    if (records.graph->parent != 0 && !run.count(number)) continue;
    if (again.count(number)) continue;
    if (records.version && in_versions > kMostInVersions) {
      state.diagnostics.add("lost-records", "versions of graphs, too many to be kept", 0);
      continue;
    }
    GraphPlan& plan = add_graph(state, plans, number, graph_name(state.log, *records.graph));
    std::set<uint32_t> placed = {number};
    Planner(state, &plan, &placed).run(records);
    bohr::Graph& graph = state.program.graphs[plan.id.index()];
    if (records.version) in_versions += graph.nodes.size() + graph.edges.size();
    for (const PlannedNode& node : plan.nodes) graph.recorded_nodes.push_back(node.number);
  }
  for (const auto& [captured, later] : again) {
    plans.by_number[captured] = plans.by_number[later.graph];
    if (later.body) plans.captured_bodies.insert(captured);
  }
  return plans;
}

GraphId unread_graph(ImportState& state, GraphPlans& plans, uint32_t number) {
  const auto it = plans.by_number.find(number);
  if (it != plans.by_number.end()) return it->second;
  const std::string name = number != 0 ? "graph " + std::to_string(number) : "graph not read";
  const GraphId id = add_graph(state, plans, number, name).id;
  state.program.graphs[id.index()].fully_read = false;
  return id;
}

}  // namespace bohr::trace

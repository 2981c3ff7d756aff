// SPDX-License-Identifier: Apache-2.0
// One log becomes one program in four passes: an index of the records; the graphs' nodes and edges;
// the allocator's callbacks matched with its history; then all that happened, in its order, with
// the state of memory and of open captures carried along, so that a pointer means what it meant
// when it was passed.
//
// The values come from files that anybody may have made. What is impossible is left out with a
// diagnostic; sizes, counts and references are checked where they are used.
#include "trace/import.h"

#include <algorithm>
#include <limits>

#include "trace/import_accesses.h"
#include "trace/import_captures.h"
#include "trace/import_graphs.h"
#include "trace/import_history.h"
#include "trace/import_lifetimes.h"
#include "trace/import_ops.h"
#include "trace/import_provenance.h"
#include "trace/import_state.h"
#include "trace/import_timeline.h"
#include "trace/import_timings.h"

namespace bohr::trace {

namespace {

class Sweep {
 public:
  Sweep(ImportState& state, GraphPlans& plans, const BlockLives& blocks)
      : state_(state),
        plans_(plans),
        captures_(state, plans),
        lifetimes_(state, captures_, blocks),
        ops_(state, plans, captures_) {
    lifetimes_.begin_known_segments();
  }

  void run(const std::vector<Item>& items) {
    for (const Item& item : items) {
      switch (item.kind) {
        case ItemKind::record:
          std::visit([this](const auto& r) { record(r); }, state_.log.records[item.a]);
          break;
        case ItemKind::node:
          node(GraphId(static_cast<size_t>(item.a)), NodeId(static_cast<size_t>(item.b)));
          break;
        case ItemKind::block_begin:
          lifetimes_.begin_block(item.a);
          break;
        case ItemKind::block_end:
          lifetimes_.end_block(item.a);
          break;
      }
    }
    captures_.finish();
  }

 private:
  void record(const CaptureBegin& r) { captures_.begin(r); }
  void record(const CaptureEnd& r) { captures_.end(r); }
  void record(const MemAlloc& r) { lifetimes_.begin(r); }
  void record(const MemFree& r) { lifetimes_.end(r); }
  template <class R>
  void record(const R& r) {
    if constexpr (requires { ops_.add(r); }) ops_.add(r);
  }

  void node(GraphId graph, NodeId id) {
    const PlannedNode& planned = plans_.plans[graph.index()].nodes[id.index()];
    captures_.node(graph, id, planned);
    if (!planned.record) return;
    const Node& record = *planned.record;
    Op& op = state_.program.graphs[graph.index()].nodes[id.index()];
    const AccessTable table{graph};
    const AccessKey key{record.graph, record.index, 0};
    const bool said =
        record.type == kNodeKernel || record.type == kNodeHost || record.type == kNodeBatchMemOp;
    if (said && add_known_accesses(state_, table, key, planned.seq, &op)) {
      op.unknown = false;
      if (record.type == kNodeKernel) op.label = kernel_info(state_, record.function).label;
    } else if (record.type == kNodeKernel) {
      add_kernel_accesses(state_, table, record.function, record.form, record.params, planned.seq,
                          &op);
    } else if (record.type == kNodeCopy) {
      const Transfer transfer = transfer_of(record);
      op.label = copy_label(state_, transfer);
      add_copy_accesses(state_, table, transfer, planned.seq, &op);
    } else if (record.type == kNodeSet) {
      add_set_accesses(state_, table, transfer_of(record), planned.seq, &op);
    } else if (record.type == kNodeMemAlloc || record.type == kNodeMemFree) {
      lifetimes_.node(graph, id, record);
    }
  }

  ImportState& state_;
  GraphPlans& plans_;
  Captures captures_;
  Lifetimes lifetimes_;
  Ops ops_;
};

// What the recorder itself could not keep. A log that reached its limit says from where on records
// are missing; only one that does not leaves every place in doubt.
void pass_diagnostics(ImportState& state) {
  bool told = false;
  for (const Record& record : state.log.records) {
    if (const Diagnostic* d = std::get_if<Diagnostic>(&record)) {
      bohr::Diagnostic out;
      out.reason = text_of(state.log, d->reason.id);
      if (out.reason == "graph-memory-nodes") continue;  // import decides that from the nodes
      out.text = text_of(state.log, d->text.id);
      out.count = to_place(d->count);
      out.loses_order = d->loses_order;
      out.from = to_place(d->from);
      out.to = to_place(d->to);
      told = told || (out.reason == "lost-records" && out.loses_order);
      state.diagnostics.pass(std::move(out));
    } else if (const End* end = std::get_if<End>(&record); end && end->lost != 0 && !told) {
      bohr::Diagnostic out;
      out.reason = "lost-records";
      out.text = "records that the recorder could not keep";
      out.count = to_place(end->lost);
      out.loses_order = true;
      state.diagnostics.pass(std::move(out));
    }
  }
}

uint64_t read_at(const GraphRecords& records) {
  return records.version ? records.version->seq : records.graph->seq;
}

// Graphs that no capture made begin and end where they were read.
void complete_points(const LogIndex& index, Program* program) {
  for (bohr::Graph& graph : program->graphs) {
    if (graph.begin.known() && graph.end.known()) continue;
    const auto record = index.graphs.find(graph.recorded);
    const int64_t seq = record == index.graphs.end() ? 0 : to_place(read_at(record->second));
    const auto at = std::partition_point(program->ops.begin(), program->ops.end(),
                                         [seq](const Op& op) { return op.enter <= seq; });
    const Point read{GraphId(), static_cast<int32_t>(at - program->ops.begin())};
    if (!graph.begin.known()) graph.begin = read;
    graph.end = read;
  }
}

template <class List>
bool fits(const List& list) {
  return list.size() <= static_cast<size_t>(std::numeric_limits<int32_t>::max());
}

bool fits(const Program& program) {
  bool fit = fits(program.ops) && fits(program.accesses) && fits(program.lifetimes);
  for (const bohr::Graph& graph : program.graphs)
    fit = fit && fits(graph.nodes) && fits(graph.accesses);
  return fit;
}

}  // namespace

Result<Program> import_log(const Log& log, const GridCodes& codes) {
  const Error too_large{"log-too-large", log.source, "", "it holds more than 2^31 records",
                        "record a shorter run"};
  if (!fits(log.records)) return too_large;
  ImportState state(log);
  state.grid_codes = codes;
  state.program.source = log.source;
  state.program.recorded = true;
  state.program.device = device_text(log, state.index);
  state.program.provenance = provenance_of(log, state.index);
  state.program.host_seen = state.index.scope && state.index.scope->host_accesses;
  pass_diagnostics(state);
  GraphPlans plans = plan_graphs(state);
  BlockLives blocks = match_history(state.index, &state.diagnostics);
  state.memory.set_unplaced(std::move(blocks.unplaced));
  const std::vector<Item> items = timeline(log, plans, blocks);
  Sweep(state, plans, blocks).run(items);
  settle_doubted_ends(state);
  settle_graph_memory(state);
  add_unknown_regions(state);
  complete_points(state.index, &state.program);
  state.program.timings = timings_of(state.index, state.program);
  if (!fits(state.program)) return too_large;
  state.program.diagnostics = state.diagnostics.take();
  return std::move(state.program);
}

}  // namespace bohr::trace

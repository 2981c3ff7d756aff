// SPDX-License-Identifier: Apache-2.0
// Captures, graphs, execs and their versions, launches of execs.
#include <algorithm>
#include <tuple>
#include <utility>

#include "gpu/sim/sim.h"

namespace bohr::gpu::sim {

namespace {

using EdgeKey = std::tuple<int32_t, int32_t, bool>;

std::vector<EdgeKey> sorted_edges(const GraphVersion& graph) {
  std::vector<EdgeKey> edges;
  for (const GraphEdge& edge : graph.edges)
    edges.emplace_back(edge.from, edge.to, edge.programmatic);
  std::sort(edges.begin(), edges.end());
  return edges;
}

bool same_topology(const GraphVersion& a, const GraphVersion& b) {
  if (a.nodes.size() != b.nodes.size()) return false;
  for (size_t i = 0; i < a.nodes.size(); ++i)
    if (a.nodes[i].work.kind != b.nodes[i].work.kind) return false;
  return sorted_edges(a) == sorted_edges(b);
}

Error not_updatable(const std::string& exec, const char* why) {
  return {"graph-update", "exec " + exec, "", why, "instantiate a new exec"};
}

}  // namespace

Pool Sim::make_pool() { return Pool(pools_++); }

int32_t Sim::add_version(GraphVersion version) {
  tape_.graphs.push_back(std::move(version));
  return static_cast<int32_t>(tape_.graphs.size() - 1);
}

Status Sim::begin_capture(Stream stream, Pool pool, const std::string& name) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  if (capture_of(stream) || tape_.streams[stream.index()].kind == StreamKind::legacy)
    return Error{"capture-begin", "capture " + name, "",
                 "its stream is the legacy default stream, or is being captured already",
                 "capture another stream"};
  const uint32_t number = captures_made_ + 1;
  const Pool own = pool.valid() ? pool : make_pool();
  BOHR_TRY_STATUS(begin_pool(own, number));
  ++captures_made_;
  captures_.emplace(number, Capture(number, stream, own, name));
  Status status = take_time(call);
  log_->append(trace::CaptureBegin{left(call), number, number_of(stream), 0});
  return status;
}

Result<Graph> Sim::end_capture(Stream stream) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  Capture* capture = capture_of(stream);
  if (!capture || capture->origin() != stream)
    return Error{"capture-end", "stream " + tape_.streams[stream.index()].name, "",
                 "no capture began on it", "end a capture on the stream where it began"};
  const uint32_t number = capture->number();
  const std::string name = capture->name();
  const bool valid = capture->valid();
  const bool joined = capture->joined();
  const Pool pool = capture->pool();
  GraphVersion version = capture->take();
  captures_.erase(number);
  GraphState state{.name = name, .pool = pool};
  allocator_.end_capture(PoolId(pool.value()));
  BOHR_TRY_STATUS(take_time(call));
  const trace::Call returned = left(call);
  if (!valid || !joined) {
    let_go(&state);
    log_->append(trace::CaptureEnd{returned, number, number_of(stream), 0});
    if (!valid)
      return Error{"capture-invalid", "capture " + name, "",
                   "a call was made that no capture survives", "that call's own error says which"};
    return Error{"capture-unjoined", "capture " + name, "",
                 "work of another stream does not lead back to the stream where it began",
                 "record an event behind that work and wait for it"};
  }
  const uint32_t graph = log_->graph(returned.exit, number, name, version);
  log_->append(trace::CaptureEnd{returned, number, number_of(stream), graph});
  state.version = add_version(std::move(version));
  state.number = graph;
  graphs_.push_back(std::move(state));
  return Graph(graphs_.size() - 1);
}

Result<Exec> Sim::instantiate(Graph number) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  GraphState& graph = graphs_[number.index()];
  BOHR_CHECK(graph.alive);
  BOHR_TRY_STATUS(take_time(call));
  ++graph.holders;
  execs_.push_back({graph.version, graph.name, number});
  const Exec exec(execs_.size() - 1);
  log_->append(trace::Exec{left(call), number_of(exec), graph.number, 0});
  return exec;
}

Status Sim::update(Exec number, Graph from) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  ExecState& exec = execs_[number.index()];
  const GraphState& graph = graphs_[from.index()];
  BOHR_CHECK(exec.alive && graph.alive);
  if (!same_topology(tape_.graphs[static_cast<size_t>(exec.version)],
                     tape_.graphs[static_cast<size_t>(graph.version)]))
    return not_updatable(exec.name, "the graph has other nodes or edges than it");
  BOHR_TRY_STATUS(take_time(call));
  exec.version = graph.version;
  log_->append(trace::ExecChange{left(call), number_of(number), graph.number,
                                 log_->text("cuGraphExecUpdate_v2")});
  return Nothing{};
}

Status Sim::set_params(Exec number, int32_t index, const KernelLaunch& launch) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  ExecState& exec = execs_[number.index()];
  BOHR_CHECK(exec.alive);
  GraphVersion version = tape_.graphs[static_cast<size_t>(exec.version)];
  if (index < 0 || static_cast<size_t>(index) >= version.nodes.size() ||
      version.nodes[static_cast<size_t>(index)].work.kind != WorkKind::kernel)
    return not_updatable(exec.name, "it has no kernel node of that number");
  Node& node = version.nodes[static_cast<size_t>(index)];
  const bool programmatic = node.work.launch.programmatic;
  node.work.launch = launch;
  node.work.launch.programmatic = programmatic;
  node.work.accesses = std::move(node.work.launch.accesses);
  node.seq = call.seq;
  node.thread = thread_;
  node.stack = call.stack;
  BOHR_TRY_STATUS(check_reach(node.work));
  BOHR_TRY_STATUS(take_time(call));
  const trace::Call returned = left(call);
  const uint32_t graph = log_->graph(returned.exit, 0, exec.name, version);
  exec.version = add_version(std::move(version));
  log_->append(trace::ExecChange{returned, number_of(number), graph,
                                 log_->text("cuGraphExecKernelNodeSetParams_v2")});
  return Nothing{};
}

Status Sim::launch(Exec number, Stream stream) {
  const ExecState& exec = execs_[number.index()];
  BOHR_CHECK(exec.alive);
  if (capture_of(stream)) BOHR_TRY_STATUS(outside_captures("launch of a graph"));
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  TapeOp op;
  op.kind = OpKind::launch;
  op.stream = stream;
  op.graph = exec.version;
  op.exec = number;
  Status status = issue(std::move(op), call);
  log_->append(trace::Launch{left(call), number_of(number), number_of(stream)});
  return status;
}

Status Sim::destroy(Graph number) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  GraphState& graph = graphs_[number.index()];
  BOHR_CHECK(graph.alive);
  graph.alive = false;
  let_go(&graph);
  return Nothing{};
}

Status Sim::destroy(Exec number) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  ExecState& exec = execs_[number.index()];
  BOHR_CHECK(exec.alive);
  exec.alive = false;
  let_go(&graphs_[exec.graph.index()]);
  log_->append(trace::ExecGone{call.seq, number_of(number)});
  return Nothing{};
}

}  // namespace bohr::gpu::sim

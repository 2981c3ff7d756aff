// SPDX-License-Identifier: Apache-2.0
// Graphs built by hand, execs, their changes and launches.
#include <cstring>

#include "agent/calls.h"
#include "agent/pinned_copies.h"

namespace bohr::agent {
namespace {

// Some template changed: which one is not worth knowing, they are read again when instantiated.
void edited(Recorder& r, DriverCall&) {
  std::lock_guard lock(r.mutex);
  ++r.graphs.edits;
}

template <class Params>
void any_added(Recorder& r, DriverCall& call) {
  edited(r, call);
  const auto& p = params_of<Params>(call);
  node_added(r, p.hGraph, *p.phGraphNode, *p.nodeParams);
}

void cloned(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphClone_params>(call);
  graph_cloned(r, p.originalGraph, *p.phGraphClone);
}

void destroyed(Recorder& r, DriverCall& call) {
  graph_destroyed(r, params_of<cuGraphDestroy_params>(call).hGraph);
}

void add_exec(Recorder& r, DriverCall& call, CUgraphExec exec, CUgraph graph, uint64_t flags) {
  trace::Exec record;
  record.graph = read_graph(r, graph, 0);
  {
    std::lock_guard lock(r.mutex);
    record.exec = ++r.graphs.last_exec;
    const TemplateState& state = r.graphs.templates[graph];
    ExecHold hold;
    hold.work = state.work, hold.graph = record.graph, hold.flags = flags;
    if (r.holding) hold.ask_at = r.holding->first_launch, hold.turn = r.holding->turn;
    ExecNodes nodes;
    nodes.graph = graph, nodes.handles = state.handles, nodes.base = record.graph;
    r.graphs.execs[exec] = {record.exec, state.effects, std::move(nodes), std::move(hold)};
  }
  record.call = call_of(r, call);
  record.flags = flags;
  r.log->append(record);
}

// Edges are added before; what was captured has them already.
template <class Params>
void before(Recorder& r, DriverCall& call) {
  if (r.applying) read_graph(r, params_of<Params>(call).hGraph, 0);
}

void instantiated(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphInstantiateWithFlags_params>(call);
  add_exec(r, call, *p.phGraphExec, p.hGraph, p.flags);
}
void instantiated_with_params(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphInstantiateWithParams_params>(call);
  add_exec(r, call, *p.phGraphExec, p.hGraph, p.instantiateParams->flags);
}
void instantiated_old(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphInstantiate_v2_params>(call);
  add_exec(r, call, *p.phGraphExec, p.hGraph, 0);
}

// Unknown execs get a number, so that launches of one exec are known to be of one.
uint32_t exec_number(Recorder& r, CUgraphExec exec) {
  bool unseen = false;
  uint32_t number = 0;
  {
    std::lock_guard lock(r.mutex);
    ExecState& state = r.graphs.execs[exec];
    unseen = state.number == 0;
    if (unseen) state.number = ++r.graphs.last_exec;
    number = state.number;
  }
  if (unseen) diagnose(r, "attached-late", "a graph was instantiated before recording began");
  return number;
}

void add_change(Recorder& r, DriverCall& call, uint32_t graph) {
  trace::ExecChange record;
  record.call = call_of(r, call);
  record.exec = exec_number(r, exec_of(call));
  record.graph = graph;
  record.api = r.log->text(call.api->name);
  r.log->append(record);
}

void changed(Recorder& r, DriverCall& call) {
  add_change(r, call, 0);
  drop_paused(r, exec_of(call));
  {
    std::lock_guard lock(r.mutex);
    r.graphs.execs[exec_of(call)].hold.changed = true;
  }
  stop_watching_pinned(r, "an instantiated graph was changed in a way that is not read");
}

// A call that set one node: it can be followed, where the exec is known.
template <class What>
void follow(Recorder& r, DriverCall& call, CUgraphNode node, const What& what) {
  if (!node_set(r, call, node, what)) return changed(r, call);
  drop_paused(r, exec_of(call));
}

void kernel_set(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphExecKernelNodeSetParams_v2_params>(call);
  follow(r, call, p.hNode, *p.nodeParams);
}

// The older form, and the one of cuGraphExecNodeSetParams, differ in fields at the end.
template <class Params>
CUDA_KERNEL_NODE_PARAMS kernel_params(const Params& p) {
  CUDA_KERNEL_NODE_PARAMS params;
  std::memset(&params, 0, sizeof params);
  params.func = p.func;
  params.gridDimX = p.gridDimX, params.gridDimY = p.gridDimY, params.gridDimZ = p.gridDimZ;
  params.blockDimX = p.blockDimX, params.blockDimY = p.blockDimY, params.blockDimZ = p.blockDimZ;
  params.sharedMemBytes = p.sharedMemBytes;
  params.kernelParams = p.kernelParams, params.extra = p.extra;
  return params;
}

void kernel_set_old(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphExecKernelNodeSetParams_params>(call);
  follow(r, call, p.hNode, kernel_params(*p.nodeParams));
}

// Which pinned memory launches read is known by the graph alone.
void copy_set(Recorder& r, DriverCall& call, CUgraphNode node, const CUDA_MEMCPY3D& copy) {
  follow(r, call, node, copy);
  stop_watching_pinned(r, "a copy of an instantiated graph was changed");
}

void memcpy_set(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphExecMemcpyNodeSetParams_params>(call);
  copy_set(r, call, p.hNode, *p.copyParams);
}

void memset_set(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphExecMemsetNodeSetParams_params>(call);
  follow(r, call, p.hNode, *p.memsetParams);
}

void host_set(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphExecHostNodeSetParams_params>(call);
  follow(r, call, p.hNode, *p.nodeParams);
}

void any_set(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphExecNodeSetParams_params>(call);
  const CUgraphNodeParams& params = *p.nodeParams;
  if (params.type == CU_GRAPH_NODE_TYPE_KERNEL) {
    CUDA_KERNEL_NODE_PARAMS kernel = kernel_params(params.kernel);
    kernel.kern = params.kernel.kern;
    follow(r, call, p.hNode, kernel);
  } else if (params.type == CU_GRAPH_NODE_TYPE_MEMCPY) {
    copy_set(r, call, p.hNode, params.memcpy.copyParams);
  } else if (params.type == CU_GRAPH_NODE_TYPE_MEMSET) {
    const CUDA_MEMSET_NODE_PARAMS_v2& set = params.memset;
    const CUDA_MEMSET_NODE_PARAMS same{set.dst,         set.pitch, set.value,
                                       set.elementSize, set.width, set.height};
    follow(r, call, p.hNode, same);
  } else if (params.type == CU_GRAPH_NODE_TYPE_HOST) {
    const CUDA_HOST_NODE_PARAMS same{params.host.fn, params.host.userData};
    follow(r, call, p.hNode, same);
  } else {
    changed(r, call);
  }
}

// A copy that is disabled is still watched, which costs nothing but time.
void enabled(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuGraphNodeSetEnabled_params>(call);
  if (!node_enabled(r, call, p.hNode, p.isEnabled != 0)) return changed(r, call);
  drop_paused(r, exec_of(call));
}

// An update makes the exec's nodes those of another template, which can be read.
void updated(Recorder& r, DriverCall& call) {
  const CUgraph graph = params_of<cuGraphExecUpdate_params>(call).hGraph;
  uint32_t number = read_graph(r, graph, 0);
  drop_paused(r, exec_of(call));
  {
    std::lock_guard lock(r.mutex);
    const TemplateState& state = r.graphs.templates[graph];
    ExecState& exec = r.graphs.execs[exec_of(call)];
    exec.effects = state.effects, exec.launches = 0;
    exec.hold.work = state.work, exec.hold.graph = number;
    exec.hold.changed = some_disabled(exec.nodes);
    if (exec.hold.changed) number = 0;
    updated_from(graph, state.handles, number, &exec.nodes);
  }
  add_change(r, call, number);
}

void launching(Recorder& r, DriverCall& call) {
  if (call.capture) return;
  note_launch(r);
  const bool described = ask_for_history(r, is_open(r));
  log_changes(r, params_of<cuGraphLaunch_params>(call).hGraph);
  offer_launch(r, params_of<cuGraphLaunch_params>(call).hGraph, described);
  if (!watches_pinned(r)) return;
  bool known = false;
  std::shared_ptr<const LaunchEffects> effects;
  {
    std::lock_guard lock(r.mutex);
    const auto found = r.graphs.execs.find(params_of<cuGraphLaunch_params>(call).hGraph);
    known = found != r.graphs.execs.end();
    if (known) effects = found->second.effects;
  }
  if (!known) stop_watching_pinned(r, "a graph was launched that was not read");
  if (effects) pinned_launch(r, call, effects->pinned);
}

void launched(Recorder& r, DriverCall& call) {
  if (call.capture) return;
  const CUgraphExec exec = params_of<cuGraphLaunch_params>(call).hGraph;
  trace::Launch record;
  record.exec = exec_number(r, exec);
  if (r.stack_mode == StackMode::all) call.stack = stack_of_call(r, false);
  record.call = {call.seq, call.exit, call.thread, call.stack};
  record.stream = stream_of(r, call);
  std::shared_ptr<const LaunchEffects> effects;
  bool kept = true;
  {
    std::lock_guard lock(r.mutex);
    ExecState& state = r.graphs.execs[exec];
    effects = state.effects;
    kept = state.launches < kLaunchesKept;
    if (kept) ++state.launches;
  }
  if (kept)
    r.log->append(record);
  else
    log_work(r, record);
  if (!effects) return;
  for (CUevent event : effects->records) event_recorded_unseen(r, event);
}

void exec_destroyed(Recorder& r, DriverCall& call) {
  drop_paused(r, exec_of(call));
  uint32_t number = 0;
  {
    std::lock_guard lock(r.mutex);
    auto found = r.graphs.execs.find(exec_of(call));
    if (found == r.graphs.execs.end()) return;
    number = found->second.number;
    r.graphs.execs.erase(found);
  }
  r.log->append(trace::ExecGone{call.seq, number});
}

#define BOHR_BUILD_BY(name, leave) \
  Api { BOHR_FUNCTION(name, name), false, true, nullptr, nullptr, leave }
#define BOHR_BUILD(name) BOHR_BUILD_BY(name, edited)
#define BOHR_EDIT(name) BOHR_PLAIN_API(name, nullptr, edited)
#define BOHR_CHANGE(name) BOHR_PLAIN_API(name, nullptr, changed)

constexpr Api kGraphApis[] = {
    BOHR_BUILD(cuGraphAddKernelNode),
    BOHR_BUILD(cuGraphAddKernelNode_v2),
    BOHR_BUILD(cuGraphAddMemcpyNode),
    BOHR_BUILD(cuGraphAddMemsetNode),
    BOHR_BUILD(cuGraphAddHostNode),
    BOHR_BUILD(cuGraphAddChildGraphNode),
    BOHR_BUILD(cuGraphAddEmptyNode),
    BOHR_BUILD(cuGraphAddEventRecordNode),
    BOHR_BUILD(cuGraphAddEventWaitNode),
    BOHR_BUILD(cuGraphAddExternalSemaphoresSignalNode),
    BOHR_BUILD(cuGraphAddExternalSemaphoresWaitNode),
    BOHR_BUILD(cuGraphAddMemAllocNode),
    BOHR_BUILD(cuGraphAddMemFreeNode),
    BOHR_BUILD(cuGraphAddBatchMemOpNode),
    BOHR_BUILD_BY(cuGraphAddNode, any_added<cuGraphAddNode_params>),
    BOHR_BUILD_BY(cuGraphAddNode_v2, any_added<cuGraphAddNode_v2_params>),
    BOHR_PLAIN_API(cuGraphClone, nullptr, cloned),
    BOHR_EDIT(cuGraphAddDependencies),
    BOHR_EDIT(cuGraphAddDependencies_v2),
    BOHR_EDIT(cuGraphRemoveDependencies),
    BOHR_EDIT(cuGraphRemoveDependencies_v2),
    BOHR_EDIT(cuGraphDestroyNode),
    BOHR_EDIT(cuGraphKernelNodeSetParams),
    BOHR_EDIT(cuGraphKernelNodeSetParams_v2),
    BOHR_EDIT(cuGraphKernelNodeSetAttribute),
    BOHR_EDIT(cuGraphKernelNodeCopyAttributes),
    BOHR_EDIT(cuGraphMemcpyNodeSetParams),
    BOHR_EDIT(cuGraphMemsetNodeSetParams),
    BOHR_EDIT(cuGraphHostNodeSetParams),
    BOHR_EDIT(cuGraphEventRecordNodeSetEvent),
    BOHR_EDIT(cuGraphEventWaitNodeSetEvent),
    BOHR_EDIT(cuGraphBatchMemOpNodeSetParams),
    BOHR_EDIT(cuGraphNodeSetParams),
    BOHR_PLAIN_API(cuGraphDestroy, destroyed, nullptr),
    BOHR_PLAIN_API(cuGraphInstantiate, before<cuGraphInstantiate_v2_params>, instantiated_old),
    BOHR_PLAIN_API(cuGraphInstantiate_v2, before<cuGraphInstantiate_v2_params>, instantiated_old),
    BOHR_PLAIN_API(cuGraphInstantiateWithFlags, before<cuGraphInstantiateWithFlags_params>,
                   instantiated),
    BOHR_PLAIN_API(cuGraphInstantiateWithParams, before<cuGraphInstantiateWithParams_params>,
                   instantiated_with_params),
    BOHR_PLAIN_API(cuGraphInstantiateWithParams_ptsz, before<cuGraphInstantiateWithParams_params>,
                   instantiated_with_params),
    BOHR_PLAIN_API(cuGraphExecUpdate, before<cuGraphExecUpdate_params>, updated),
    BOHR_PLAIN_API(cuGraphExecUpdate_v2, before<cuGraphExecUpdate_params>, updated),
    BOHR_PLAIN_API(cuGraphExecKernelNodeSetParams, nullptr, kernel_set_old),
    BOHR_PLAIN_API(cuGraphExecKernelNodeSetParams_v2, nullptr, kernel_set),
    BOHR_PLAIN_API(cuGraphExecMemcpyNodeSetParams, nullptr, memcpy_set),
    BOHR_PLAIN_API(cuGraphExecMemsetNodeSetParams, nullptr, memset_set),
    BOHR_PLAIN_API(cuGraphExecHostNodeSetParams, nullptr, host_set),
    BOHR_CHANGE(cuGraphExecChildGraphNodeSetParams),
    BOHR_CHANGE(cuGraphExecEventRecordNodeSetEvent),
    BOHR_CHANGE(cuGraphExecEventWaitNodeSetEvent),
    BOHR_CHANGE(cuGraphExecExternalSemaphoresSignalNodeSetParams),
    BOHR_CHANGE(cuGraphExecExternalSemaphoresWaitNodeSetParams),
    BOHR_CHANGE(cuGraphExecBatchMemOpNodeSetParams),
    BOHR_PLAIN_API(cuGraphExecNodeSetParams, nullptr, any_set),
    BOHR_PLAIN_API(cuGraphNodeSetEnabled, nullptr, enabled),
    BOHR_STREAM_API(cuGraphLaunch, launching, launched),
    BOHR_PLAIN_API(cuGraphExecDestroy, exec_destroyed, nullptr),
};

}  // namespace

std::span<const Api> graph_apis() { return kGraphApis; }

}  // namespace bohr::agent

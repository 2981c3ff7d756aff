// SPDX-License-Identifier: Apache-2.0
// The calls that matter where graphs are repaired and nothing is recorded. No more is asked of the
// driver than that takes: much of what a recorder asks when it first meets a stream is not allowed
// while one captures.
#include "agent/calls.h"

namespace bohr::agent {
namespace {

void captured(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuStreamEndCapture_params>(call);
  if (p.phGraph && *p.phGraph) read_graph(r, *p.phGraph, 0);
}

template <class Params>
void before(Recorder& r, DriverCall& call) {
  read_graph(r, params_of<Params>(call).hGraph, 0);
}

void edited(Recorder& r, DriverCall&) {
  std::lock_guard lock(r.mutex);
  ++r.graphs.edits;
}

void destroyed(Recorder& r, DriverCall& call) {
  graph_destroyed(r, params_of<cuGraphDestroy_params>(call).hGraph);
}

void launching(Recorder& r, DriverCall&) { note_launch(r); }

#define BOHR_EDIT(name) BOHR_PLAIN_API(name, nullptr, edited)
#define BOHR_BEFORE(name, params) BOHR_PLAIN_API(name, before<params>, nullptr)

constexpr Api kApis[] = {
    BOHR_PLAIN_API(cuStreamEndCapture, nullptr, captured),
    BOHR_PLAIN_API(cuStreamEndCapture_ptsz, nullptr, captured),
    BOHR_BEFORE(cuGraphInstantiate, cuGraphInstantiate_v2_params),
    BOHR_BEFORE(cuGraphInstantiate_v2, cuGraphInstantiate_v2_params),
    BOHR_BEFORE(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags_params),
    BOHR_BEFORE(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_params),
    BOHR_BEFORE(cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams_params),
    BOHR_BEFORE(cuGraphExecUpdate, cuGraphExecUpdate_params),
    BOHR_BEFORE(cuGraphExecUpdate_v2, cuGraphExecUpdate_params),
    BOHR_EDIT(cuGraphAddDependencies),
    BOHR_EDIT(cuGraphAddDependencies_v2),
    BOHR_EDIT(cuGraphRemoveDependencies),
    BOHR_EDIT(cuGraphRemoveDependencies_v2),
    BOHR_EDIT(cuGraphKernelNodeSetParams),
    BOHR_EDIT(cuGraphKernelNodeSetParams_v2),
    BOHR_EDIT(cuGraphMemcpyNodeSetParams),
    BOHR_EDIT(cuGraphMemsetNodeSetParams),
    BOHR_EDIT(cuGraphNodeSetParams),
    BOHR_PLAIN_API(cuGraphDestroy, destroyed, nullptr),
    BOHR_PLAIN_API(cuGraphLaunch, launching, nullptr),
    BOHR_PLAIN_API(cuGraphLaunch_ptsz, launching, nullptr),
};

}  // namespace

std::span<const Api> applying_apis() { return kApis; }

}  // namespace bohr::agent

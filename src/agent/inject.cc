// SPDX-License-Identifier: Apache-2.0
// Calls come as CUPTI's callbacks: the driver loads this library in cuInit, which subscribes. CUPTI
// has one subscriber in a process, and its callbacks come on the guest's threads.
#include <atomic>
#include <string>

#include "agent/gate.h"
#include "agent/life.h"

#define BOHR_EXPORT extern "C" __attribute__((visibility("default")))

namespace bohr::agent {
namespace {

// By callback id; filled once before the subscription.
constexpr size_t kMaxIds = 2048;
const Api* api_by_id[kMaxIds];
// Calls of functions that are newer than we are.
struct Newer {
  std::atomic<const char*> name{nullptr};  // the driver's own text
  std::atomic<uint64_t> calls{0};
};
Newer newer_calls[kMaxIds];

constexpr CUpti_CallbackId kResources[] = {CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
                                           CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                                           CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING};

void resource(Recorder& r, ThreadCalls& calls, CUpti_CallbackId id,
              const CUpti_ResourceData& data) {
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    context_destroyed(r, data.context);
    return;
  }
  const auto* graph = static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
  if (!graph) return;
  if (id == CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING) {
    graph_destroyed(r, graph->graph);
  } else {
    node_made(r, calls, graph->graph, graph->node);
  }
}

void count_newer(Recorder& r, const CUpti_CallbackData& data, CUpti_CallbackId id) {
  if (data.callbackSite != CUPTI_API_ENTER) return;
  Newer& newer = newer_calls[id];
  newer.name.store(data.functionName, std::memory_order_relaxed);
  if (newer.calls.fetch_add(1) == 0) newer_called(r, data.functionName);
}

void report_newer_calls(Recorder& r) {
  for (const Newer& newer : newer_calls)
    if (const uint64_t calls = newer.calls.load()) report_newer(r, newer.name.load(), calls);
}

void driver_call(Recorder& r, ThreadCalls& calls, CUpti_CallbackId id,
                 const CUpti_CallbackData& data) {
  if (id >= kMaxIds) return;
  const Api* api = api_by_id[id];
  const Told told{data.functionParams, data.correlationId, data.symbolName, data.context};
  if (!api) {
    count_newer(r, data, id);
  } else if (data.callbackSite == CUPTI_API_ENTER) {
    enter_call(r, *api);
    call_entered(r, calls, *api, told);
  } else {
    leave_call(r, *api);
    call_left(r, calls, *api, told, *static_cast<const CUresult*>(data.functionReturnValue));
  }
}

void CUPTIAPI callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  Recorder* r = recorder();
  if (!r || !r->recording.load(std::memory_order_relaxed)) return;
  ThreadCalls& calls = thread_calls();
  if (calls.inside) return;
  Inside guard(calls);
  guarded(*r, [&] {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      resource(*r, calls, id, *static_cast<const CUpti_ResourceData*>(data));
    } else if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
      driver_call(*r, calls, id, *static_cast<const CUpti_CallbackData*>(data));
    }
  });
}

bool subscribe(Recorder& r, std::string* why) {
  for_each_api([](const Api& api) {
    if (api.id < kMaxIds) api_by_id[api.id] = &api;
  });
  CUpti_SubscriberHandle subscriber;
  const CUptiResult result =
      r.cupti.cuptiSubscribe(&subscriber, reinterpret_cast<CUpti_CallbackFunc>(callback), nullptr);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    *why =
        "another tool holds CUPTI's one subscriber slot in this process (a profiler, nsys, "
        "KINETO_USE_DAEMON); run without it, or record with --via preload";
    return false;
  }
  if (result != CUPTI_SUCCESS) {
    const char* text = "";
    r.cupti.cuptiGetResultString(result, &text);
    *why = std::string("cuptiSubscribe failed: ") + text;
    return false;
  }
  // Ids that an older CUPTI does not know are refused, and so are their calls by its driver.
  const auto enable = [&](const Api& api) {
    r.cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, api.id);
  };
  for_each_api(enable);
  for (CUpti_CallbackId id = CUPTI_DRIVER_TRACE_CBID_SIZE; id < kMaxIds; ++id) {
    if (r.cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id) !=
        CUPTI_SUCCESS) {
      break;
    }
  }
  for (CUpti_CallbackId id : kResources) {
    if (r.cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id) != CUPTI_SUCCESS) {
      diagnose(r, "unknown-stream", "CUPTI does not announce graph nodes");
    }
  }
  return true;
}

bool load(Recorder& r, std::string* why) { return load_cupti(&r.cupti, why); }

constexpr Way kCupti{load, subscribe, report_newer_calls};

}  // namespace
}  // namespace bohr::agent

// Called by the driver in cuInit. Any other value than 1 might fail the guest's cuInit.
BOHR_EXPORT int InitializeInjection() {
  static std::atomic<bool> armed{false};
  if (armed.exchange(true)) return 1;
  try {
    bohr::agent::arm(bohr::agent::kCupti);
  } catch (...) {
    // Nothing was subscribed: the guest runs as if the agent were not there.
  }
  return 1;
}

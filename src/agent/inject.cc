// SPDX-License-Identifier: Apache-2.0
// The agent's life: armed by the driver in cuInit, one CUPTI subscriber, callbacks on the guest's
// threads, closed when the process ends. It is a guest's guest: nothing here prints, throws or
// ends the process, and every failure ends in <pid>.error or in the log.
//
// A forked child must not use what it inherited: the atfork handler lets go of the log, and the
// child is armed anew only by its own cuInit after an exec.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "agent/calls.h"
#include "agent/environment.h"
#include "agent/files.h"
#include "agent/native_frames.h"
#include "agent/process.h"
#include "agent/provenance.h"

#define BOHR_EXPORT extern "C" __attribute__((visibility("default")))

namespace bohr::agent {
namespace {

constexpr uint32_t kMaxNested = 8;

// Plain data without a destructor: threads end at any time.
struct ThreadCalls {
  DriverCall open[kMaxNested];
  uint32_t depth = 0;
  bool inside = false;
};
thread_local ThreadCalls thread_calls;

// Sets `inside` for its life. Driver calls that we make ourselves come back as callbacks.
class Inside {
 public:
  explicit Inside(ThreadCalls& calls) : calls_(calls) { calls_.inside = true; }
  ~Inside() { calls_.inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  ThreadCalls& calls_;
};

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

template <class Visitor>
void for_each_api(Visitor&& visit) {
  for (std::span<const Api> apis :
       {kernel_apis(), copy_apis(), set_apis(), stream_apis(), event_apis(), capture_apis(),
        graph_apis(), memory_apis(), unmodelled_apis()}) {
    for (const Api& api : apis) visit(api);
  }
}

void enter(Recorder& r, ThreadCalls& calls, const Api& api, const CUpti_CallbackData& data) {
  if (calls.depth == kMaxNested) calls.depth = 0;  // exits that never came
  DriverCall& call = calls.open[calls.depth++];
  call = DriverCall();
  call.api = &api;
  call.correlation = data.correlationId;
  call.params = data.functionParams;
  call.symbol = data.symbolName;
  call.context = data.context;
  call.thread = this_thread(r);
  if (api.stream) call.stream = explicit_stream(api.stream(call.params), api.per_thread);
  if (call.stream) call.capture = capture_state(r, call.stream).capture;
  if (call.capture) call.node_stream = stream_of(r, call);
  if (call.capture || api.builds) call.stack = stack_of_call(r, true);
  call.seq = r.tick();
  if (api.enter) api.enter(r, call);
}

// A call made in a capture whose node CUPTI did not announce: the stream's frontier is that node.
void adopt_node(Recorder& r, const DriverCall& call) {
  if (!call.capture || call.node_seen || call.result != CUDA_SUCCESS) return;
  const CaptureState state = capture_state(r, call.stream);
  if (!state.newest) return;
  const NodeOrigin origin{call.seq, call.thread, call.stack, call.node_stream};
  std::lock_guard lock(r.mutex);
  r.graphs.templates[state.graph].origins.try_emplace(state.newest, origin);
}

void leave(Recorder& r, ThreadCalls& calls, const Api& api, const CUpti_CallbackData& data) {
  while (calls.depth > 0) {
    DriverCall& call = calls.open[--calls.depth];
    if (call.api != &api || call.correlation != data.correlationId) continue;
    call.result = *static_cast<const CUresult*>(data.functionReturnValue);
    if (data.context) call.context = data.context;
    call.params = data.functionParams;
    call.exit = r.tick();
    if (r.log->lost() > 0 && !r.log_stopped.load(std::memory_order_relaxed)) {
      stop_recording(r, "the log reached its limit, or its disk is full");
      if (!r.applying) return;
    }
    adopt_node(r, call);
    if (api.leave && (api.always || call.result == CUDA_SUCCESS)) api.leave(r, call);
    return;
  }
}

// The call that is under way made this node. Nodes that an instantiation makes are the exec's own,
// and of no interest.
void node_made(Recorder& r, ThreadCalls& calls, const CUpti_GraphData& data) {
  if (calls.depth == 0) return;
  DriverCall& call = calls.open[calls.depth - 1];
  if (!call.capture && !call.api->builds) return;
  call.node_seen = true;
  node_created(r, data.graph, data.node, {call.seq, call.thread, call.stack, call.node_stream});
}

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
    node_made(r, calls, *graph);
  }
}

// A call that drivers had not when the agent was built: counted, named once, and taken for what
// loses order unless it only asks.
void note_newer_call(Recorder& r, const CUpti_CallbackData& data, CUpti_CallbackId id) {
  if (data.callbackSite != CUPTI_API_ENTER) return;
  Newer& newer = newer_calls[id];
  newer.name.store(data.functionName, std::memory_order_relaxed);
  if (newer.calls.fetch_add(1) > 0 || std::strstr(data.functionName, "Get")) return;
  trace::Unmodelled record;
  record.call.seq = record.call.exit = r.tick();
  record.call.thread = this_thread(r);
  record.api = r.log->text(data.functionName);
  record.synchronises = true;
  r.log->append(record);
}

void report_newer_calls(Recorder& r) {
  for (const Newer& newer : newer_calls) {
    const uint64_t calls = newer.calls.load();
    if (calls == 0) continue;
    diagnose(r, "note",
             std::string(newer.name.load()) + ", which is newer than the recorder, was called " +
                 std::to_string(calls) + (calls == 1 ? " time" : " times"));
  }
}

void driver_call(Recorder& r, ThreadCalls& calls, CUpti_CallbackId id,
                 const CUpti_CallbackData& data) {
  if (id >= kMaxIds) return;
  const Api* api = api_by_id[id];
  if (!api) {
    note_newer_call(r, data, id);
  } else if (data.callbackSite == CUPTI_API_ENTER) {
    enter_call(r, *api);
    enter(r, calls, *api, data);
  } else {
    leave_call(r, *api);
    leave(r, calls, *api, data);
  }
}

void CUPTIAPI callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  Recorder* r = recorder();
  if (!r || !r->recording.load(std::memory_order_relaxed)) return;
  ThreadCalls& calls = thread_calls;
  if (calls.inside) return;
  Inside guard(calls);
  try {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      resource(*r, calls, id, *static_cast<const CUpti_ResourceData*>(data));
    } else if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
      driver_call(*r, calls, id, *static_cast<const CUpti_CallbackData*>(data));
    }
  } catch (...) {
    stop_recording(*r, "the recorder ran out of memory or met an error of its own");
  }
}

void in_forked_child() {
  Recorder* r = recorder();
  if (!r) return;
  r->recording.store(false);
  r->log->abandon();
  set_recorder(nullptr);
}

StackMode stack_mode() {
  const char* value = std::getenv(kStacksVariable);
  if (!value || !*value) return StackMode::mixed;
  if (!std::strcmp(value, "0")) return StackMode::none;
  return std::strcmp(value, "all") ? StackMode::python : StackMode::all;
}

uint64_t max_log() {
  const char* value = std::getenv(kMaxLogVariable);
  const uint64_t bytes = value ? std::strtoull(value, nullptr, 10) : 0;
  return bytes ? bytes : kDefaultMaxLog;
}

// A pid may come back within one run.
std::string free_stem(const std::string& folder) {
  std::string stem = folder + "/" + std::to_string(getpid());
  if (!file_exists(stem + kLogSuffix)) return stem;
  for (int i = 2;; ++i) {
    std::string next = stem + "-" + std::to_string(i);
    if (!file_exists(next + kLogSuffix)) return next;
  }
}

bool subscribe(Recorder& r, std::string* why) {
  CUpti_SubscriberHandle subscriber;
  const CUptiResult result =
      r.cupti.cuptiSubscribe(&subscriber, reinterpret_cast<CUpti_CallbackFunc>(callback), nullptr);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    *why =
        "another tool holds CUPTI's one subscriber slot in this process (a profiler, nsys, "
        "KINETO_USE_DAEMON); run without it";
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

// The agent must stay mapped: the driver and atfork keep its addresses.
void pin_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&pin_library), &info) && info.dli_fname) {
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

// What has to be there before anything is recorded.
bool load(Recorder& r, std::string* why) {
  if (!load_driver(&r.driver, why) || !load_cupti(&r.cupti, why)) return false;
  r.log = trace::LogWriter::create(r.stem + kLogSuffix, max_log(), why);
  return r.log != nullptr;
}

void arm() {
  const char* folder = std::getenv(kDirVariable);
  if (!folder || !*folder) return;
  auto* r = new Recorder;  // never destroyed: callbacks outlive everything
  r->stem = free_stem(folder);
  r->error_path = r->stem + kErrorSuffix;
  r->stack_mode = stack_mode();
  r->applying = make_applying(r->stem + kApplySuffix);
  std::string why;
  if (!load(*r, &why)) {
    if (r->applying) not_applied(*r, why);
    write_error(r->error_path, why);
    return;
  }
  r->holding = make_holding(r->stem);
  pin_library();
  prepare_unwinder();
  add_process(*r);
  for_each_api([](const Api& api) {
    if (api.id < kMaxIds) api_by_id[api.id] = &api;
  });
  set_recorder(r);
  r->recording.store(true);
  pthread_atfork(nullptr, nullptr, in_forked_child);
  if (subscribe(*r, &why)) return;
  if (r->applying) not_applied(*r, why);
  stop_recording(*r, why);
}

// Later than every atexit handler, so that what the guest does there is still seen.
__attribute__((destructor)) void close_log() {
  Recorder* r = recorder();
  if (!r || !r->recording.load()) return;
  report_unseen_allocator(*r);
  report_pinned(*r);
  report_newer_calls(*r);
  add_libraries(*r);
  unlink((r->stem + kAttachSuffix).c_str());
  if (r->recording.exchange(false)) r->log->close(r->tick());
}

}  // namespace
}  // namespace bohr::agent

// Called by the driver in cuInit. Any other value than 1 might fail the guest's cuInit.
BOHR_EXPORT int InitializeInjection() {
  static std::atomic<bool> armed{false};
  if (armed.exchange(true)) return 1;
  try {
    bohr::agent::arm();
  } catch (...) {
    // Nothing was subscribed: the guest runs as if the agent were not there.
  }
  return 1;
}

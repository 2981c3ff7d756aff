// SPDX-License-Identifier: Apache-2.0
#include "agent/wrapped.h"

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/gate.h"

namespace bohr::agent {
namespace {

// The version of CUDA that brought a function, where an older one of the same name has other
// parameters (cudaTypedefs.h).
struct Brought {
  std::string_view symbol;
  int version;
};
constexpr Brought kBrought[] = {
    {"cuCtxSynchronize_v2", 13000},
    {"cuGraphAddDependencies_v2", 12030},
    {"cuGraphAddKernelNode_v2", 12000},
    {"cuGraphAddNode_v2", 12030},
    {"cuGraphExecKernelNodeSetParams_v2", 12000},
    {"cuGraphExecUpdate_v2", 12000},
    {"cuGraphInstantiate_v2", 11000},
    {"cuGraphInstantiateWithFlags", 12000},  // under the name of the two before
    {"cuGraphKernelNodeSetParams_v2", 12000},
    {"cuGraphRemoveDependencies_v2", 12030},
    {"cuMemcpy3DBatchAsync_v2", 13000},
    {"cuMemcpyBatchAsync_v2", 13000},
    {"cuStreamBatchMemOp_v2", 11070},
    {"cuStreamBeginCapture_v2", 10010},
    {"cuStreamUpdateCaptureDependencies_v2", 12030},
    {"cuStreamWaitValue32_v2", 11070},
    {"cuStreamWaitValue64_v2", 11070},
    {"cuStreamWriteValue32_v2", 11070},
    {"cuStreamWriteValue64_v2", 11070},
};

bool remove_suffix(std::string_view* name, std::string_view suffix) {
  if (name->size() <= suffix.size() || !name->ends_with(suffix)) return false;
  name->remove_suffix(suffix.size());
  return true;
}

std::string_view without_streams(std::string_view symbol) {
  if (!remove_suffix(&symbol, "_ptsz")) remove_suffix(&symbol, "_ptds");
  return symbol;
}

int brought_in(std::string_view symbol) {
  for (const Brought& known : kBrought)
    if (known.symbol == without_streams(symbol)) return known.version;
  return 0;
}

struct Rows {
  std::unordered_map<std::string_view, const Api*> by_symbol;
  std::unordered_map<std::string_view, std::vector<const Api*>> by_name;
};

const Rows& rows() {
  static const Rows all = [] {
    Rows made;
    for_each_api([&](const Api& api) {
      made.by_symbol[api.symbol] = &api;
      made.by_name[plain_name(api.symbol)].push_back(&api);
    });
    // The name that CUDA 12 gave it.
    made.by_name["cuGraphInstantiate"].push_back(made.by_symbol["cuGraphInstantiateWithFlags"]);
    return made;
  }();
  return all;
}

bool is_twin(const Api& api) { return without_streams(api.symbol) != api.symbol; }

// What the version says: the newest that it may mean. Versions of CUDA that are newer than the
// recorder may mean any.
const Api* by_version(const std::vector<const Api*>& candidates, const Asked& asked) {
  if (asked.version > CUDA_VERSION) return nullptr;
  const Api* best = nullptr;
  const auto try_those = [&](bool twins) {
    for (const Api* api : candidates) {
      const int version = brought_in(api->symbol);
      if (is_twin(*api) != twins || version > asked.version) continue;
      if (!best || version >= brought_in(best->symbol)) best = api;
    }
  };
  if (asked.per_thread) try_those(true);
  if (!best) try_those(false);
  return best;
}

const Api* row_of(std::string_view name, void* real, const Asked& asked,
                  void* (*exported)(const char*)) {
  if (asked.version == 0) {
    const auto found = rows().by_symbol.find(name);
    return found == rows().by_symbol.end() ? nullptr : found->second;
  }
  const auto found = rows().by_name.find(name);
  if (found == rows().by_name.end()) return nullptr;
  for (const Api* api : found->second)
    if (exported(api->symbol) == real) return api;
  return by_version(found->second, asked);
}

}  // namespace

std::string_view plain_name(std::string_view symbol) {
  symbol = without_streams(symbol);
  if (!remove_suffix(&symbol, "_v2")) remove_suffix(&symbol, "_v3");
  return symbol;
}

bool same_library(const void* one, const void* other) {
  Dl_info of_one = {}, of_other = {};
  return dladdr(one, &of_one) && dladdr(other, &of_other) && of_one.dli_fbase == of_other.dli_fbase;
}

bool is_wrapped(const char* name) {
  return rows().by_symbol.contains(name) || rows().by_name.contains(name);
}

void* wrapped(const char* name, void* real, const Asked& asked, void* (*exported)(const char*)) {
  const Api* api = row_of(name, real, asked, exported);
  if (!api) return real;
  const Wrapper wrapper = api->wrapper();
  const auto function = reinterpret_cast<AnyFunction>(real);
  if (function == wrapper.function) return real;
  AnyFunction known = nullptr;
  wrapper.api->store(api, std::memory_order_release);
  // A driver may be two libraries, of which one calls the other by name: only what is found first
  // is wrapped, for a call that is wrapped twice would call itself.
  if (!wrapper.real->compare_exchange_strong(known, function) &&
      !same_library(reinterpret_cast<void*>(known), real))
    return real;
  return reinterpret_cast<void*>(wrapper.function);
}

bool wrapped_call_entered(const Api& api, const void* params) {
  Recorder* r = recorder();
  if (!r || !r->recording.load(std::memory_order_relaxed)) return false;
  ThreadCalls& calls = thread_calls();
  if (calls.inside) return false;
  // Until the call is left: what the driver calls meanwhile is the driver's own affair.
  calls.inside = true;
  calls.depth = 0;
  guarded(*r, [&] {
    enter_call(*r, api);
    call_entered(*r, calls, api, {params});
  });
  return true;
}

void wrapped_call_left(const Api& api, const void* params, CUresult result) {
  ThreadCalls& calls = thread_calls();
  if (Recorder* r = recorder(); r && r->recording.load(std::memory_order_relaxed)) {
    guarded(*r, [&] {
      leave_call(*r, api);
      call_left(*r, calls, api, {params}, result);
    });
  }
  calls.inside = false;
}

}  // namespace bohr::agent

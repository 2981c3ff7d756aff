// SPDX-License-Identifier: Apache-2.0
#include "agent/streams.h"

#include "agent/recorder.h"

namespace bohr::agent {
namespace {

bool is_default(CUstream stream) {
  return stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

StreamKey key_of(CUstream stream, uint32_t context, uint32_t thread) {
  StreamKey key{reinterpret_cast<uint64_t>(stream), 0};
  if (stream == CU_STREAM_LEGACY) key.scope = context;
  if (stream == CU_STREAM_PER_THREAD) key.scope = context | uint64_t{thread} << 32;
  return key;
}

void name_devices(Recorder& r) {
  if (r.devices_named.exchange(true)) return;
  int count = 0;
  if (r.driver.cuDeviceGetCount(&count) != CUDA_SUCCESS) return;
  for (int i = 0; i < count; ++i) {
    char name[256] = "";
    size_t bytes = 0;
    r.driver.cuDeviceGetName(name, sizeof name, i);
    r.driver.cuDeviceTotalMem_v2(&bytes, i);
    r.log->append(trace::Device{static_cast<uint32_t>(i), r.log->text(name), bytes});
  }
}

uint32_t current_device(Recorder& r) {
  CUdevice device = 0;
  r.driver.cuCtxGetDevice(&device);
  return static_cast<uint32_t>(device);
}

// Writes the record of a stream that was not in the table. Two threads may race to be first; the
// table decides who writes.
uint32_t add_stream(Recorder& r, const StreamKey& key, trace::Stream record) {
  {
    std::lock_guard lock(r.mutex);
    auto [found, inserted] = r.streams.numbers.try_emplace(key, r.streams.last_stream + 1);
    if (!inserted) return found->second;
    record.stream = ++r.streams.last_stream;
  }
  record.seq = r.tick();
  r.log->append(record);
  r.log->append(trace::StreamHandle{record.stream, key.handle});
  return record.stream;
}

}  // namespace

CUstream explicit_stream(CUstream stream, bool per_thread) {
  if (stream) return stream;
  return per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
}

uint32_t context_number(Recorder& r, CUcontext context) {
  if (!context && r.driver.cuCtxGetCurrent(&context) != CUDA_SUCCESS) return 0;
  if (!context) return 0;
  {
    std::lock_guard lock(r.mutex);
    uint32_t& number = r.streams.contexts[context];
    if (number) return number;
    number = ++r.streams.last_context;
  }
  name_devices(r);
  std::lock_guard lock(r.mutex);
  return r.streams.contexts[context];
}

void context_destroyed(Recorder& r, CUcontext context) {
  all_pinned_removed(r);  // the driver frees its host memory without a call that is seen
  std::lock_guard lock(r.mutex);
  r.streams.contexts.erase(context);
}

uint32_t stream_number(Recorder& r, CUstream stream, CUcontext context, uint32_t thread) {
  const uint32_t number = context_number(r, context);
  const StreamKey key = key_of(stream, number, thread);
  {
    std::lock_guard lock(r.mutex);
    if (auto found = r.streams.numbers.find(key); found != r.streams.numbers.end()) {
      return found->second;
    }
  }
  trace::Stream record;
  record.context = number;
  record.device = current_device(r);
  if (is_default(stream)) {
    record.type =
        stream == CU_STREAM_LEGACY ? trace::StreamType::legacy : trace::StreamType::per_thread;
    return add_stream(r, key, record);
  }
  unsigned flags = 0;
  CUcontext own = nullptr;
  if (r.driver.cuStreamGetFlags(stream, &flags) != CUDA_SUCCESS) flags = CU_STREAM_NON_BLOCKING;
  r.driver.cuStreamGetPriority(stream, &record.priority);
  if (r.driver.cuStreamGetCtx(stream, &own) == CUDA_SUCCESS && own) {
    record.context = context_number(r, own);
  }
  record.type =
      flags & CU_STREAM_NON_BLOCKING ? trace::StreamType::nonblocking : trace::StreamType::blocking;
  record.existed = true;
  const uint32_t added = add_stream(r, key, record);
  diagnose(r, "attached-late", "a stream was made before recording or by a call that is not seen",
           true, 0, r.clock.load());
  return added;
}

void stream_created(Recorder& r, CUstream stream, CUcontext context, unsigned flags, int priority) {
  trace::Stream record;
  record.context = context_number(r, context);
  record.device = current_device(r);
  record.type =
      flags & CU_STREAM_NON_BLOCKING ? trace::StreamType::nonblocking : trace::StreamType::blocking;
  record.priority = priority;
  const StreamKey key = key_of(stream, 0, 0);
  {
    std::lock_guard lock(r.mutex);
    r.streams.numbers.erase(key);
  }
  add_stream(r, key, record);
}

void stream_destroyed(Recorder& r, CUstream stream) {
  uint32_t number = 0;
  {
    std::lock_guard lock(r.mutex);
    auto found = r.streams.numbers.find(key_of(stream, 0, 0));
    if (found == r.streams.numbers.end()) return;
    number = found->second;
    r.streams.numbers.erase(found);
  }
  r.log->append(trace::StreamGone{r.tick(), number});
}

uint32_t known_stream(Recorder& r, CUstream stream, uint32_t context) {
  std::lock_guard lock(r.mutex);
  auto found = r.streams.numbers.find(key_of(stream, context, 0));
  return found == r.streams.numbers.end() ? 0 : found->second;
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Copies outside captures, one record for each range pair.
#include "agent/calls.h"
#include "agent/copies.h"

namespace bohr::agent {
namespace {

void add_copy(Recorder& r, DriverCall& call, const CopyShape& shape, bool async) {
  trace::Copy record;
  record.call = call_of(r, call);
  record.stream = stream_of(r, call);
  fill_copy(shape, &record);
  record.returned = return_of(shape, async);
  r.log->append(record);
}

void add_line(Recorder& r, DriverCall& call, CopySide dst, CopySide src, size_t bytes, bool async) {
  if (call.capture) return;
  add_copy(r, call, CopyShape{dst, src, bytes, 1, 1}, async);
}

// By the sides' kinds: U unified, H host, D device, A array. The first letter is the source.
template <class Params, bool kAsync>
void unified(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_line(r, call, unified_side(r, p.dst), unified_side(r, p.src), p.ByteCount, kAsync);
}
template <class Params, bool kAsync>
void host_to_device(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_line(r, call, device_side(r, p.dstDevice), host_side(r, p.srcHost), p.ByteCount, kAsync);
}
template <class Params, bool kAsync>
void device_to_host(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_line(r, call, host_side(r, p.dstHost), device_side(r, p.srcDevice), p.ByteCount, kAsync);
}
template <class Params, bool kAsync>
void device_to_device(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_line(r, call, device_side(r, p.dstDevice), device_side(r, p.srcDevice), p.ByteCount, kAsync);
}
template <class Params, bool kAsync>
void host_to_array(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_line(r, call, array_side(), host_side(r, p.srcHost), p.ByteCount, kAsync);
}
template <class Params, bool kAsync>
void array_to_host(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_line(r, call, host_side(r, p.dstHost), array_side(), p.ByteCount, kAsync);
}
template <class Params, bool kAsync>
void array_to_device(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_line(r, call, device_side(r, p.dstDevice), array_side(), p.ByteCount, kAsync);
}
template <class Params, bool kAsync>
void device_to_array(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_line(r, call, array_side(), device_side(r, p.srcDevice), p.ByteCount, kAsync);
}
template <class Params, bool kAsync>
void array_to_array(Recorder& r, DriverCall& call) {
  add_line(r, call, array_side(), array_side(), params_of<Params>(call).ByteCount, kAsync);
}

template <class Params, bool kAsync>
void shaped(Recorder& r, DriverCall& call) {
  if (call.capture) return;
  add_copy(r, call, shape_of(r, *params_of<Params>(call).pCopy), kAsync);
}

template <class Params>
void batch(Recorder& r, DriverCall& call) {
  if (call.capture) return;
  const auto& p = params_of<Params>(call);
  for (size_t i = 0; i < p.count; ++i) {
    add_line(r, call, unified_side(r, p.dsts[i]), unified_side(r, p.srcs[i]), p.sizes[i], true);
  }
}

#define BOHR_COPY(name, handler) BOHR_DEFAULT_STREAM_API(name, (handler<name##_params, false>))
#define BOHR_COPY_ASYNC(name, handler) \
  BOHR_STREAM_API(name, nullptr, (handler<name##_params, true>))

const Api kApis[] = {
    BOHR_COPY(cuMemcpy, unified),
    BOHR_COPY_ASYNC(cuMemcpyAsync, unified),
    BOHR_COPY(cuMemcpyHtoD_v2, host_to_device),
    BOHR_COPY_ASYNC(cuMemcpyHtoDAsync_v2, host_to_device),
    BOHR_COPY(cuMemcpyDtoH_v2, device_to_host),
    BOHR_COPY_ASYNC(cuMemcpyDtoHAsync_v2, device_to_host),
    BOHR_COPY(cuMemcpyDtoD_v2, device_to_device),
    BOHR_COPY_ASYNC(cuMemcpyDtoDAsync_v2, device_to_device),
    BOHR_COPY(cuMemcpyHtoA_v2, host_to_array),
    BOHR_COPY_ASYNC(cuMemcpyHtoAAsync_v2, host_to_array),
    BOHR_COPY(cuMemcpyAtoH_v2, array_to_host),
    BOHR_COPY_ASYNC(cuMemcpyAtoHAsync_v2, array_to_host),
    BOHR_COPY(cuMemcpyAtoD_v2, array_to_device),
    BOHR_COPY(cuMemcpyDtoA_v2, device_to_array),
    BOHR_COPY(cuMemcpyAtoA_v2, array_to_array),
    BOHR_COPY(cuMemcpy2D_v2, shaped),
    BOHR_COPY(cuMemcpy2DUnaligned_v2, shaped),
    BOHR_COPY_ASYNC(cuMemcpy2DAsync_v2, shaped),
    BOHR_COPY(cuMemcpy3D_v2, shaped),
    BOHR_COPY_ASYNC(cuMemcpy3DAsync_v2, shaped),
    BOHR_COPY(cuMemcpyPeer, device_to_device),
    BOHR_COPY_ASYNC(cuMemcpyPeerAsync, device_to_device),
    BOHR_COPY(cuMemcpy3DPeer, shaped),
    BOHR_COPY_ASYNC(cuMemcpy3DPeerAsync, shaped),
#if CUDA_VERSION >= 12080
    BOHR_STREAM_API(cuMemcpyBatchAsync, nullptr, batch<cuMemcpyBatchAsync_params>),
#endif
#if CUDA_VERSION >= 13000
    BOHR_STREAM_API(cuMemcpyBatchAsync_v2, nullptr, batch<cuMemcpyBatchAsync_v2_params>),
#endif
};

}  // namespace

std::span<const Api> copy_apis() { return kApis; }

}  // namespace bohr::agent

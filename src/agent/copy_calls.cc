// SPDX-License-Identifier: Apache-2.0
// Copies outside captures, one record for each range pair.
#include <vector>

#include "agent/calls.h"
#include "agent/copies.h"
#include "agent/pinned_copies.h"

namespace bohr::agent {
namespace {

// What a call copies. By the sides' kinds, the source first.
template <class Params>
CopyShape unified(Recorder& r, const DriverCall& call) {
  const auto& p = params_of<Params>(call);
  return {unified_side(r, p.dst), unified_side(r, p.src), p.ByteCount, 1, 1};
}
template <class Params>
CopyShape host_to_device(Recorder& r, const DriverCall& call) {
  const auto& p = params_of<Params>(call);
  return {device_side(r, p.dstDevice), host_side(r, p.srcHost), p.ByteCount, 1, 1};
}
template <class Params>
CopyShape device_to_host(Recorder& r, const DriverCall& call) {
  const auto& p = params_of<Params>(call);
  return {host_side(r, p.dstHost), device_side(r, p.srcDevice), p.ByteCount, 1, 1};
}
template <class Params>
CopyShape device_to_device(Recorder& r, const DriverCall& call) {
  const auto& p = params_of<Params>(call);
  return {device_side(r, p.dstDevice), device_side(r, p.srcDevice), p.ByteCount, 1, 1};
}
template <class Params>
CopyShape host_to_array(Recorder& r, const DriverCall& call) {
  const auto& p = params_of<Params>(call);
  return {array_side(), host_side(r, p.srcHost), p.ByteCount, 1, 1};
}
template <class Params>
CopyShape array_to_host(Recorder& r, const DriverCall& call) {
  const auto& p = params_of<Params>(call);
  return {host_side(r, p.dstHost), array_side(), p.ByteCount, 1, 1};
}
template <class Params>
CopyShape array_to_device(Recorder& r, const DriverCall& call) {
  const auto& p = params_of<Params>(call);
  return {device_side(r, p.dstDevice), array_side(), p.ByteCount, 1, 1};
}
template <class Params>
CopyShape device_to_array(Recorder& r, const DriverCall& call) {
  const auto& p = params_of<Params>(call);
  return {array_side(), device_side(r, p.srcDevice), p.ByteCount, 1, 1};
}
template <class Params>
CopyShape array_to_array(Recorder&, const DriverCall& call) {
  return {array_side(), array_side(), params_of<Params>(call).ByteCount, 1, 1};
}
template <class Params>
CopyShape shaped(Recorder& r, const DriverCall& call) {
  return shape_of(r, *params_of<Params>(call).pCopy);
}

void add_copy(Recorder& r, DriverCall& call, const CopyShape& shape, bool async) {
  trace::Copy record;
  record.call = call_of(r, call);
  record.stream = stream_of(r, call);
  fill_copy(shape, &record);
  record.returned = return_of(shape, async);
  log_work(r, record);
}

template <auto kShape, bool kAsync>
void copying(Recorder& r, DriverCall& call) {
  if (call.capture || !watches_pinned(r)) return;
  const CopyShape shape = kShape(r, call);
  pinned_copies(r, call, {&shape, 1}, kAsync);
}

template <auto kShape, bool kAsync>
void copied(Recorder& r, DriverCall& call) {
  if (!call.capture) add_copy(r, call, kShape(r, call), kAsync);
}

template <class Params>
CopyShape shape_in_batch(Recorder& r, const Params& p, size_t i) {
  return {unified_side(r, p.dsts[i]), unified_side(r, p.srcs[i]), p.sizes[i], 1, 1};
}
template <class Params>
void copying_batch(Recorder& r, DriverCall& call) {
  if (call.capture || !watches_pinned(r)) return;
  const auto& p = params_of<Params>(call);
  std::vector<CopyShape> shapes;
  for (size_t i = 0; i < p.count; ++i) shapes.push_back(shape_in_batch(r, p, i));
  pinned_copies(r, call, shapes, true);
}
template <class Params>
void copied_batch(Recorder& r, DriverCall& call) {
  if (call.capture) return;
  const auto& p = params_of<Params>(call);
  for (size_t i = 0; i < p.count; ++i) add_copy(r, call, shape_in_batch(r, p, i), true);
}

#define BOHR_COPY(name, shape)                                          \
  BOHR_DEFAULT_STREAM_API(name, (copying<shape<name##_params>, false>), \
                          (copied<shape<name##_params>, false>))
#define BOHR_COPY_ASYNC(name, shape) \
  BOHR_STREAM_API(name, (copying<shape<name##_params>, true>), (copied<shape<name##_params>, true>))

constexpr Api kCopyApis[] = {
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
    BOHR_STREAM_API(cuMemcpyBatchAsync, copying_batch<cuMemcpyBatchAsync_params>,
                    copied_batch<cuMemcpyBatchAsync_params>),
#endif
#if CUDA_VERSION >= 13000
    BOHR_STREAM_API(cuMemcpyBatchAsync_v2, copying_batch<cuMemcpyBatchAsync_v2_params>,
                    copied_batch<cuMemcpyBatchAsync_v2_params>),
#endif
};

}  // namespace

std::span<const Api> copy_apis() { return kCopyApis; }

}  // namespace bohr::agent

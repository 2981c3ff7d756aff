// SPDX-License-Identifier: Apache-2.0
// Sets outside captures.
#include "agent/calls.h"

namespace bohr::agent {
namespace {

void add_set(Recorder& r, DriverCall& call, CUdeviceptr dst, uint64_t width, uint64_t height,
             uint64_t pitch) {
  if (call.capture) return;
  trace::Set record;
  record.call = call_of(r, call);
  record.stream = stream_of(r, call);
  record.dst = dst;
  record.width = width;
  record.height = height;
  record.pitch = pitch;
  r.log->append(record);
}

template <class Params, size_t kElement>
void line(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_set(r, call, p.dstDevice, p.N * kElement, 1, 0);
}

template <class Params, size_t kElement>
void plane(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_set(r, call, p.dstDevice, p.Width * kElement, p.Height, p.dstPitch);
}

const Api kApis[] = {
    BOHR_DEFAULT_STREAM_API(cuMemsetD8_v2, (line<cuMemsetD8_v2_params, 1>)),
    BOHR_DEFAULT_STREAM_API(cuMemsetD16_v2, (line<cuMemsetD16_v2_params, 2>)),
    BOHR_DEFAULT_STREAM_API(cuMemsetD32_v2, (line<cuMemsetD32_v2_params, 4>)),
    BOHR_DEFAULT_STREAM_API(cuMemsetD2D8_v2, (plane<cuMemsetD2D8_v2_params, 1>)),
    BOHR_DEFAULT_STREAM_API(cuMemsetD2D16_v2, (plane<cuMemsetD2D16_v2_params, 2>)),
    BOHR_DEFAULT_STREAM_API(cuMemsetD2D32_v2, (plane<cuMemsetD2D32_v2_params, 4>)),
    BOHR_STREAM_API(cuMemsetD8Async, nullptr, (line<cuMemsetD8Async_params, 1>)),
    BOHR_STREAM_API(cuMemsetD16Async, nullptr, (line<cuMemsetD16Async_params, 2>)),
    BOHR_STREAM_API(cuMemsetD32Async, nullptr, (line<cuMemsetD32Async_params, 4>)),
    BOHR_STREAM_API(cuMemsetD2D8Async, nullptr, (plane<cuMemsetD2D8Async_params, 1>)),
    BOHR_STREAM_API(cuMemsetD2D16Async, nullptr, (plane<cuMemsetD2D16Async_params, 2>)),
    BOHR_STREAM_API(cuMemsetD2D32Async, nullptr, (plane<cuMemsetD2D32Async_params, 4>)),
};

}  // namespace

std::span<const Api> set_apis() { return kApis; }

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Sets outside captures.
#include "agent/calls.h"

namespace bohr::agent {
namespace {

struct SetShape {
  uint64_t dst = 0;
  uint64_t width = 0;
  uint64_t height = 1;
  uint64_t pitch = 0;
};

template <class Params, size_t kElement>
SetShape line(const DriverCall& call) {
  const auto& p = params_of<Params>(call);
  return {p.dstDevice, p.N * kElement, 1, 0};
}

template <class Params, size_t kElement>
SetShape plane(const DriverCall& call) {
  const auto& p = params_of<Params>(call);
  return {p.dstDevice, p.Width * kElement, p.Height, p.dstPitch};
}

template <auto kShape>
void setting(Recorder& r, DriverCall& call) {
  if (call.capture || !watches_pinned(r)) return;
  const SetShape shape = kShape(call);
  const uint64_t rows = shape.height > 1 ? (shape.height - 1) * shape.pitch : 0;
  pinned_written(r, call, {shape.dst, shape.dst + rows + shape.width});
}

template <auto kShape>
void set(Recorder& r, DriverCall& call) {
  if (call.capture) return;
  const SetShape shape = kShape(call);
  trace::Set record;
  record.call = call_of(r, call);
  record.stream = stream_of(r, call);
  record.dst = shape.dst;
  record.width = shape.width;
  record.height = shape.height;
  record.pitch = shape.pitch;
  log_work(r, record);
}

#define BOHR_SET(name, shape, element)                                    \
  BOHR_DEFAULT_STREAM_API(name, (setting<shape<name##_params, element>>), \
                          (set<shape<name##_params, element>>))
#define BOHR_SET_ASYNC(name, shape, element)                      \
  BOHR_STREAM_API(name, (setting<shape<name##_params, element>>), \
                  (set<shape<name##_params, element>>))

constexpr Api kSetApis[] = {
    BOHR_SET(cuMemsetD8_v2, line, 1),
    BOHR_SET(cuMemsetD16_v2, line, 2),
    BOHR_SET(cuMemsetD32_v2, line, 4),
    BOHR_SET(cuMemsetD2D8_v2, plane, 1),
    BOHR_SET(cuMemsetD2D16_v2, plane, 2),
    BOHR_SET(cuMemsetD2D32_v2, plane, 4),
    BOHR_SET_ASYNC(cuMemsetD8Async, line, 1),
    BOHR_SET_ASYNC(cuMemsetD16Async, line, 2),
    BOHR_SET_ASYNC(cuMemsetD32Async, line, 4),
    BOHR_SET_ASYNC(cuMemsetD2D8Async, plane, 1),
    BOHR_SET_ASYNC(cuMemsetD2D16Async, plane, 2),
    BOHR_SET_ASYNC(cuMemsetD2D32Async, plane, 4),
};

}  // namespace

std::span<const Api> set_apis() { return kSetApis; }

}  // namespace bohr::agent

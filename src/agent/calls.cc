// SPDX-License-Identifier: Apache-2.0
#include "agent/calls.h"

namespace bohr::agent {

trace::Call call_of(Recorder& r, DriverCall& call) {
  r.works.store(true, std::memory_order_relaxed);
  if (!call.stack) call.stack = stack_of_call(r, call.capture != 0);
  return {call.seq, call.exit, call.thread, call.stack};
}

uint32_t stream_of(Recorder& r, const DriverCall& call) {
  return stream_number(r, call.stream, call.context, call.thread);
}

uint32_t context_of(Recorder& r, const DriverCall& call) { return context_number(r, call.context); }

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Happens-before over the ops that a program issued outside graphs; a graph launch is one unit.
//
// One pass in issue order keeps, for each stream and each actor, the row of what its next op is
// ordered after. Rules: stream order; legacy default streams against the blocking and per-thread
// streams of their context; a wait against the record it is bound to; launches of one exec in turn;
// issue before execution; host synchronisation; signals; copies from and to pageable memory;
// programmatic launches. A recorded program adds two assumptions: a host call that returned before
// another thread's call was entered is ordered before it, and the driver hands memory out again
// only when work issued before its free is done.
//
// Chains are the streams and the actors. Steps of their own: the early part of a programmatic
// kernel, and the source read of a copy from pageable memory, which happens on the issuing thread's
// chain when the call is made and claims no order after earlier work of the stream.
//
// Records and waits are resolved by the readers, so one pass suffices: whatever an op refers to was
// issued before it.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "order/clocks.h"

namespace bohr::order {

struct ProgramOrder {
  Clocks clocks;
  std::vector<int32_t> step;                         // of op i
  std::unordered_map<int32_t, int32_t> early_step;   // ops with an early part -> its step
  std::unordered_map<int32_t, int32_t> source_step;  // copies from pageable memory -> source read
  int32_t chains = 0;
  bool used_host_order = false;    // assumption host-order-observed connected two threads
  bool used_driver_reuse = false;  // assumption driver-reuse
  bool used_pool_reuse = false;    // assumption pool-reuse

  bool before(OpId a, OpId b) const { return clocks.before(step[a.index()], step[b.index()]); }
};

// Refuses an op that refers to one issued later (code `op-order`), and rows of more than
// `most_entries` (`order-too-large`).
Result<ProgramOrder> program_order(const Program& program, bool strict_threads,
                                   size_t most_entries = kMostEntries);

inline int32_t stream_chain(StreamId stream) { return stream.value(); }
inline int32_t actor_chain(const Program& program, ActorId actor) {
  return static_cast<int32_t>(program.streams.size()) + actor.value();
}

}  // namespace bohr::order

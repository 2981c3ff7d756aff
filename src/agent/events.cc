// SPDX-License-Identifier: Apache-2.0
#include "agent/events.h"

#include "agent/recorder.h"

namespace bohr::agent {
namespace {

// Under the lock. An event that was not seen being made may have been recorded before.
EventState& state_of(Recorder& r, CUevent event) {
  auto [found, inserted] = r.events.states.try_emplace(event);
  if (inserted) found->second = {++r.events.last, 0, false, 0, 0};
  return found->second;
}

}  // namespace

void event_created(Recorder& r, CUevent event, bool foreign) {
  std::lock_guard lock(r.mutex);
  r.events.states[event] = {++r.events.last, 0, !foreign, 0, 0};
}

void event_destroyed(Recorder& r, CUevent event) {
  std::lock_guard lock(r.mutex);
  r.events.states.erase(event);
}

EventVersion newest_version(Recorder& r, CUevent event) {
  std::lock_guard lock(r.mutex);
  const EventState& state = state_of(r, event);
  if (!state.known) return {state.number, trace::kUnknownVersion};
  return {state.number, state.version, state.stream, state.seq};
}

EventVersion new_version(Recorder& r, CUevent event, uint32_t stream, uint64_t seq) {
  std::lock_guard lock(r.mutex);
  EventState& state = state_of(r, event);
  state.known = true;
  state.stream = stream;
  state.seq = seq;
  return {state.number, ++state.version, stream, seq};
}

void event_recorded_unseen(Recorder& r, CUevent event) {
  std::lock_guard lock(r.mutex);
  state_of(r, event).known = false;
}

}  // namespace bohr::agent

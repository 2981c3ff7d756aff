// SPDX-License-Identifier: Apache-2.0
#include "agent/events.h"

#include "agent/recorder.h"

namespace bohr::agent {
namespace {

// Under the lock. An event that was not seen being made may have been recorded before.
EventState& state_of(Recorder& r, CUevent event) {
  auto [found, inserted] = r.events.states.try_emplace(event);
  if (inserted) found->second = {++r.events.last, 0, false};
  return found->second;
}

}  // namespace

void event_created(Recorder& r, CUevent event, bool foreign) {
  std::lock_guard lock(r.mutex);
  r.events.states[event] = {++r.events.last, 0, !foreign};
}

void event_destroyed(Recorder& r, CUevent event) {
  std::lock_guard lock(r.mutex);
  r.events.states.erase(event);
}

EventVersion newest_version(Recorder& r, CUevent event) {
  std::lock_guard lock(r.mutex);
  const EventState& state = state_of(r, event);
  return {state.number, state.known ? state.version : trace::kUnknownVersion};
}

EventVersion new_version(Recorder& r, CUevent event) {
  std::lock_guard lock(r.mutex);
  EventState& state = state_of(r, event);
  state.known = true;
  return {state.number, ++state.version};
}

void event_recorded_unseen(Recorder& r, CUevent event) {
  std::lock_guard lock(r.mutex);
  state_of(r, event).known = false;
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Events by number and version. Each record of an event makes a new version; what waits for the
// event is bound to the newest version at the time of the waiting call.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <unordered_map>

namespace bohr::agent {

struct Recorder;

struct EventState {
  uint32_t number = 0;
  uint64_t version = 0;  // of the newest record; 0: never recorded
  bool known = true;     // false: it was, or may have been, recorded out of our sight
  uint32_t stream = 0;   // of the newest record, and its call
  uint64_t seq = 0;
};

struct Events {
  std::unordered_map<CUevent, EventState> states;
  uint32_t last = 0;
};

// What a wait issued now is bound to.
struct EventVersion {
  uint32_t event = 0;
  uint64_t version = 0;  // kUnknownVersion when it cannot be known
  uint32_t stream = 0;   // that the version was recorded on by the call `seq`
  uint64_t seq = 0;
};

void event_created(Recorder& r, CUevent event, bool foreign);
void event_destroyed(Recorder& r, CUevent event);
EventVersion newest_version(Recorder& r, CUevent event);
EventVersion new_version(Recorder& r, CUevent event, uint32_t stream, uint64_t seq);

// Work that the driver will do records this event at a time that no call shows.
void event_recorded_unseen(Recorder& r, CUevent event);

}  // namespace bohr::agent

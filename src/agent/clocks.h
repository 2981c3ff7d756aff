// SPDX-License-Identifier: Apache-2.0
// When sequence numbers were taken, for recordings of which an allocator tells its own story
// elsewhere (bohr import). The time is read ahead of the number, so the number is not older.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace bohr::agent {

struct Recorder;

struct Clocks {
  std::mutex mutex;                                    // taken last; never held across a call
  std::vector<std::pair<uint64_t, uint64_t>> samples;  // number and nanoseconds
  bool kept = false;                                   // for good: something captured meanwhile
};

uint64_t unix_time_ns();
// Writes the samples of a full buffer.
void note_time(Recorder& r, uint64_t seq, uint64_t unix_ns);
// Writes what there is.
void flush_times(Recorder& r);

}  // namespace bohr::agent

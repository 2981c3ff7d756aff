// SPDX-License-Identifier: Apache-2.0
// Differences are what is written, so a sample takes some four bytes. Numbers of several threads
// come in almost sorted; a time that is earlier than that of a smaller number says less than it.
#include "agent/clocks.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "agent/recorder.h"

namespace bohr::agent {
namespace {

constexpr size_t kSamples = 256;

trace::Clock record_of(std::vector<std::pair<uint64_t, uint64_t>>& samples) {
  std::sort(samples.begin(), samples.end());
  trace::Clock record;
  record.seq = samples.front().first;
  record.unix_ns = samples.front().second;
  uint64_t seq = record.seq, time = record.unix_ns;
  for (size_t i = 1; i < samples.size(); ++i) {
    const uint64_t later = std::max(time, samples[i].second);
    record.seqs.push_back(samples[i].first - seq);
    record.times.push_back(later - time);
    seq = samples[i].first;
    time = later;
  }
  return record;
}

}  // namespace

uint64_t unix_time_ns() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

void note_time(Recorder& r, uint64_t seq, uint64_t unix_ns) {
  bool full = false;
  {
    std::lock_guard lock(r.clocks.mutex);
    r.clocks.samples.emplace_back(seq, unix_ns);
    if (r.captures_active.load(std::memory_order_relaxed) > 0) r.clocks.kept = true;
    full = r.clocks.samples.size() >= kSamples;
  }
  if (full) flush_times(r);
}

void flush_times(Recorder& r) {
  std::vector<std::pair<uint64_t, uint64_t>> samples;
  bool kept = false;
  {
    std::lock_guard lock(r.clocks.mutex);
    samples.swap(r.clocks.samples);
    kept = std::exchange(r.clocks.kept, false);
  }
  if (samples.empty()) return;
  if (kept)
    r.log->append(record_of(samples));
  else
    log_work(r, record_of(samples));
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// A free without an allocation, an allocation over a block that was not freed, or one in a segment
// whose begin is not told: there the history does not tell all, which makes the bytes doubtful.
#include "trace/history_blocks.h"

#include <algorithm>
#include <map>

#include "base/byte_set.h"
#include "trace/import_memory.h"

namespace bohr::trace {

namespace {

class Builder {
 public:
  explicit Builder(bool tells_segments) : tells_segments_(tells_segments) {}

  void add(const HistoryEvent& event) {
    const size_t place = result_.events.size();
    result_.events.push_back(&event);
    result_.block_of.push_back(kNoEvent);
    const ByteRange range{event.address, event.address + event.bytes};
    if (range.empty()) return;
    switch (event.action) {
      case HistoryAction::segment_alloc:
      case HistoryAction::segment_map:
        return segments_.add(range);
      case HistoryAction::segment_free:
      case HistoryAction::segment_unmap:
        return segments_.remove(range);
      case HistoryAction::alloc:
        return begin(place, range);
      case HistoryAction::free_requested:
        return end(place, range);
      case HistoryAction::free_completed:
        return complete(place, range);
      default:
        return;
    }
  }

  DeviceHistory take() {
    join_overlapping(&result_.doubtful);
    for (const HandOut& block : result_.blocks) result_.told.push_back(block.range);
    join_overlapping(&result_.told);
    return std::move(result_);
  }

 private:
  void begin(size_t place, ByteRange range) {
    if (tells_segments_ && !segments_.contains(range)) result_.doubtful.push_back(range);
    auto it = live_.lower_bound(range.begin);
    if (it != live_.begin() && overlaps(*std::prev(it), range)) --it;
    while (it != live_.end() && overlaps(*it, range)) {
      result_.doubtful.push_back(result_.blocks[it->second].range);
      result_.doubtful.push_back(range);
      it = live_.erase(it);
    }
    live_[range.begin] = result_.blocks.size();
    result_.block_of[place] = result_.blocks.size();
    result_.blocks.push_back({range, place, kNoEvent});
  }

  bool overlaps(const std::pair<const uint64_t, size_t>& live, ByteRange range) const {
    return result_.blocks[live.second].range.overlaps(range);
  }

  void end(size_t place, ByteRange range) {
    const auto it = live_.find(range.begin);
    if (it == live_.end()) return result_.doubtful.push_back(range);
    result_.blocks[it->second].end = place;
    result_.block_of[place] = it->second;
    ended_[range.begin] = it->second;
    live_.erase(it);
  }

  void complete(size_t place, ByteRange range) {
    const auto it = ended_.find(range.begin);
    if (it == ended_.end()) return;
    result_.blocks[it->second].completed = place;
    ended_.erase(it);
  }

  bool tells_segments_;
  DeviceHistory result_;
  ByteSet segments_;
  std::map<uint64_t, size_t> live_;   // by address: index into blocks
  std::map<uint64_t, size_t> ended_;  // the same, of frees that were requested and not completed
};

}  // namespace

DeviceHistory device_history(const AllocatorHistory& history, uint32_t device) {
  Builder builder(history.tells_segments);
  for (const HistoryEvent& event : history.events)
    if (event.device == device) builder.add(event);
  return builder.take();
}

}  // namespace bohr::trace

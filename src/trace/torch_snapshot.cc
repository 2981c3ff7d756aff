// SPDX-License-Identifier: Apache-2.0
// A dictionary: `device_traces` has a list of entries for each device, oldest first, and `segments`
// what memory the allocator holds at the end. Entries of older versions do not name their pool; the
// segment that they lie in does. A frames list that several entries share is read once.
#include "trace/torch_snapshot.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "base/range.h"

namespace bohr::trace {

namespace {

constexpr size_t kMostFrames = 256;

struct ActionName {
  std::string_view name;
  HistoryAction action;
};
constexpr std::array<ActionName, 7> kActions = {{
    {"alloc", HistoryAction::alloc},
    {"free_requested", HistoryAction::free_requested},
    {"free_completed", HistoryAction::free_completed},
    {"segment_alloc", HistoryAction::segment_alloc},
    {"segment_free", HistoryAction::segment_free},
    {"segment_map", HistoryAction::segment_map},
    {"segment_unmap", HistoryAction::segment_unmap},
}};

struct PoolRange {
  ByteRange range;
  uint64_t a = 0, b = 0;
};

class Snapshot {
 public:
  Snapshot(const PlainValues& values, const std::string& source)
      : values_(values), source_(source) {}

  Result<AllocatorHistory> read() {
    history_.source = source_;
    history_.allocator = "PyTorch";
    history_.tells_segments = true;
    const auto* traces = list(values_.root, "device_traces");
    if (!traces) return damaged("device_traces", "there is no list of this name");
    read_segments();
    for (size_t device = 0; device < traces->size(); ++device)
      BOHR_TRY_STATUS(read_device(static_cast<uint32_t>(device), (*traces)[device]));
    if (history_.events.empty())
      return Error{"history-empty", source_, "device_traces", "it holds no entry",
                   "call torch.cuda.memory._record_memory_history() before the program allocates"};
    return std::move(history_);
  }

 private:
  Error damaged(const std::string& where, const std::string& why) const {
    return {"history-damaged", source_, where, why,
            "give the file that torch.cuda.memory._dump_snapshot wrote"};
  }
  const std::vector<PlainValue>* list(const PlainValue& dictionary, std::string_view key) const {
    return values_.list_of(values_.find(dictionary, key));
  }
  bool number(const PlainValue& dictionary, std::string_view key, uint64_t* value) const {
    const PlainValue* found = values_.find(dictionary, key);
    if (!found || found->kind != PlainValue::Kind::integer) return false;
    *value = found->bits;
    return true;
  }
  bool pool(const PlainValue& dictionary, uint64_t* a, uint64_t* b) const {
    for (const char* key : {"segment_pool_id", "pool_id"}) {
      const auto* pair = list(dictionary, key);
      if (!pair || pair->size() != 2 || (*pair)[0].kind != PlainValue::Kind::integer ||
          (*pair)[1].kind != PlainValue::Kind::integer)
        continue;
      *a = (*pair)[0].bits;
      *b = (*pair)[1].bits;
      return true;
    }
    return false;
  }

  void read_segments() {
    const auto* segments = list(values_.root, "segments");
    if (!segments) return;
    for (const PlainValue& segment : *segments) {
      PoolRange one;
      uint64_t bytes = 0;
      if (!number(segment, "address", &one.range.begin) || !number(segment, "total_size", &bytes) ||
          !pool(segment, &one.a, &one.b))
        continue;
      one.range.end = one.range.begin + bytes;
      if (!one.range.empty()) pools_.push_back(one);
    }
    std::sort(pools_.begin(), pools_.end(),
              [](const PoolRange& x, const PoolRange& y) { return x.range.begin < y.range.begin; });
  }

  void pool_of_segment(HistoryEvent* event) const {
    const auto above = std::upper_bound(
        pools_.begin(), pools_.end(), event->address,
        [](uint64_t address, const PoolRange& one) { return address < one.range.begin; });
    if (above == pools_.begin() || event->address >= std::prev(above)->range.end) return;
    event->pool_a = std::prev(above)->a;
    event->pool_b = std::prev(above)->b;
    event->pool_known = true;
  }

  Status read_device(uint32_t device, const PlainValue& value) {
    const auto* entries = values_.list_of(&value);
    const std::string where = "device_traces[" + std::to_string(device) + "]";
    if (!entries) return damaged(where, "it is no list");
    for (size_t i = 0; i < entries->size(); ++i)
      if (!read_entry(device, (*entries)[i]))
        return damaged(where + "[" + std::to_string(i) + "]",
                       "an entry without action, addr, size and stream");
    return Nothing{};
  }

  bool read_entry(uint32_t device, const PlainValue& entry) {
    const std::string* name = values_.text_of(values_.find(entry, "action"));
    if (!name) return false;
    const auto action = std::find_if(kActions.begin(), kActions.end(),
                                     [&](const ActionName& one) { return one.name == *name; });
    if (action == kActions.end()) return true;  // oom, snapshot and the like
    HistoryEvent event;
    event.action = action->action;
    event.device = device;
    if (!number(entry, "addr", &event.address) || !number(entry, "size", &event.bytes) ||
        !number(entry, "stream", &event.stream))
      return false;
    event.pool_known = pool(entry, &event.pool_a, &event.pool_b);
    if (!event.pool_known) pool_of_segment(&event);
    if (uint64_t us = 0; number(entry, "time_us", &us) && us < UINT64_MAX / 1000)
      event.time_ns = us * 1000;
    event.stack = stack(values_.find(entry, "frames"));
    history_.events.push_back(event);
    return true;
  }

  uint32_t stack(const PlainValue* frames) {
    const auto* list = values_.list_of(frames);
    if (!list || list->empty()) return 0;
    const auto [known, added] = stacks_.try_emplace(frames->bits, 0);
    if (!added) return known->second;
    std::vector<HistoryFrame> stack;
    for (size_t i = 0; i < std::min(list->size(), kMostFrames); ++i) {
      const std::string* function = values_.text_of(values_.find((*list)[i], "name"));
      const std::string* file = values_.text_of(values_.find((*list)[i], "filename"));
      HistoryFrame frame;
      if (!function || !file || !number((*list)[i], "line", &frame.line)) continue;
      frame.function = *function;
      frame.file = *file;
      stack.push_back(std::move(frame));
    }
    if (stack.empty()) return 0;
    history_.stacks.push_back(std::move(stack));
    return known->second = static_cast<uint32_t>(history_.stacks.size());
  }

  const PlainValues& values_;
  const std::string& source_;
  AllocatorHistory history_;
  std::vector<PoolRange> pools_;
  std::map<uint64_t, uint32_t> stacks_;  // by the list's index
};

}  // namespace

Result<AllocatorHistory> history_of_snapshot(const PlainValues& snapshot,
                                             const std::string& source) {
  return Snapshot(snapshot, source).read();
}

}  // namespace bohr::trace

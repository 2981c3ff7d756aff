// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs count as the calls that made them. Calls of equal numbers are one.
#include "trace/history_calls.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include "trace/import_graphs.h"
#include "trace/import_params.h"

namespace bohr::trace {

namespace {

constexpr uint64_t kLargeImage = 128;

class Collector {
 public:
  Collector(const Log& log, const LogIndex& index) : log_(log), index_(index) {}

  std::vector<HistoryCall> run() {
    find_implicit();
    for (const Record& record : log_.records)
      std::visit([this](const auto& r) { add(r); }, static_cast<const AnyRecord&>(record));
    for (const auto& [seq, time] : times_)
      if (const auto call = calls_.find(seq); call != calls_.end()) call->second.time_ns = time;
    std::vector<HistoryCall> calls;
    calls.reserve(calls_.size());
    uint32_t open = 0;
    for (auto& [seq, call] : calls_) {
      call.capture = open;
      if (const auto begun = begins_.find(seq); begun != begins_.end()) open = begun->second;
      if (ends_.count(seq) != 0) open = 0;
      calls.push_back(std::move(call));
    }
    return calls;
  }

 private:
  // Streams that wait for each other by the legacy rules: two or more of one context.
  void find_implicit() {
    std::map<uint32_t, std::vector<uint32_t>> by_context;
    for (const auto& [number, stream] : index_.streams)
      if (stream->type != StreamType::nonblocking) by_context[stream->context].push_back(number);
    for (const auto& [context, list] : by_context)
      if (list.size() > 1) implicit_.insert(implicit_.end(), list.begin(), list.end());
    std::sort(implicit_.begin(), implicit_.end());
  }

  HistoryCall& at(uint64_t seq, uint32_t thread) {
    HistoryCall& call = calls_[seq];
    call.seq = seq;
    call.thread = thread;
    return call;
  }
  HistoryCall& at(const Call& call) { return at(call.seq, call.thread); }
  bool implicit(uint32_t stream) const {
    return std::binary_search(implicit_.begin(), implicit_.end(), stream);
  }

  template <class R>
  void add(const R&) {}

  void add(const Clock& r) {
    uint64_t seq = r.seq, time = r.unix_ns;
    times_.emplace_back(seq, time);
    for (size_t i = 0; i < std::min(r.seqs.size(), r.times.size()); ++i)
      times_.emplace_back(seq += r.seqs[i], time += r.times[i]);
  }
  void add(const Kernel& r) {
    HistoryCall& call = at(r.call);
    call.works = implicit(r.stream);
    add_params(r.function, r.form, r.params, &call);
  }
  void add(const Copy& r) {
    HistoryCall& call = at(r.call);
    call.works = implicit(r.stream);
    call.orders = r.returned != Return::at_once;
    add_copy(r, &call);
  }
  void add(const Set& r) {
    HistoryCall& call = at(r.call);
    call.works = implicit(r.stream);
    call.orders = r.returned != Return::at_once;
    add_rows(r.dst, r.width, r.height, r.pitch, &call);
  }
  void add(const Launch& r) { at(r.call).works = implicit(r.stream); }
  void add(const EventWait& r) { at(r.call).orders = true; }
  void add(const HostSync& r) { at(r.call).orders = true; }
  void add(const Unmodelled& r) { at(r.call).orders = true; }
  void add(const MemFree& r) { at(r.call).orders = true; }
  void add(const CaptureBegin& r) {
    at(r.call).boundary = true;
    begins_[r.call.seq] = r.capture;
  }
  void add(const CaptureEnd& r) {
    at(r.call).boundary = true;
    ends_[r.call.seq] = r.capture;
  }
  void add(const MemAlloc& r) {
    if (r.address + r.bytes < r.address || r.bytes == 0) return;
    at(r.call).allocated = {r.address, r.address + r.bytes};
  }
  void add(const Node& r) {
    if (r.seq == 0) return;
    HistoryCall& call = at(r.seq, r.thread);
    if (r.type == kNodeKernel) add_params(r.function, r.form, r.params, &call);
    if (r.type == kNodeCopy) add_copy(r, &call);
    if (r.type == kNodeSet) add_rows(r.dst, r.width, r.height, r.dst_pitch, &call);
  }

  template <class R>
  void add_copy(const R& r, HistoryCall* call) {
    if (r.depth != 1) return;
    add_rows(r.dst, r.width, r.height, r.dst_pitch, call);
    add_rows(r.src, r.width, r.height, r.src_pitch, call);
  }

  // Its first byte is surely meant, and all up to its last one may be.
  static void add_rows(uint64_t address, uint64_t width, uint64_t height, uint64_t pitch,
                       HistoryCall* call) {
    if (address == 0 || width == 0 || height == 0) return;
    const ByteRange first{address, address + 1};
    call->names.push_back({first, true});
    if (height > 1 && pitch > UINT64_MAX / height) return;
    const ByteRange all{address, address + (height - 1) * pitch + width};
    if (!all.empty()) call->names.push_back({all, false});
  }

  void add_params(uint32_t function, ParamForm form, const Bytes& image, HistoryCall* call) {
    if (form == ParamForm::none || form == ParamForm::unreadable) return;
    const ParamLayout& layout = layout_of(function);
    if (layout.known) {
      for (const ParamLayout::Slot& slot : layout.slots)
        add_pointer(image, slot.offset, !slot.large, call);
    } else {
      for (size_t at = 0; at < image.size(); at += sizeof(uint64_t))
        add_pointer(image, at, image.size() <= kLargeImage, call);
    }
  }

  static void add_pointer(const Bytes& image, size_t at, bool strong, HistoryCall* call) {
    uint64_t value = 0;
    if (at + sizeof value > image.size()) return;
    std::memcpy(&value, image.data() + at, sizeof value);
    if (value != 0 && value != UINT64_MAX) call->names.push_back({{value, value + 1}, strong});
  }

  const ParamLayout& layout_of(uint32_t function) {
    const auto [known, added] = layouts_.try_emplace(function);
    if (!added) return known->second;
    const auto found = index_.functions.find(function);
    if (found != index_.functions.end() && found->second)
      known->second = param_layout(*found->second, text_of(log_, found->second->name.id));
    return known->second;
  }

  const Log& log_;
  const LogIndex& index_;
  std::vector<uint32_t> implicit_;  // streams that take part in the legacy rules; sorted
  std::map<uint64_t, HistoryCall> calls_;
  std::vector<std::pair<uint64_t, uint64_t>> times_;  // of numbers
  std::map<uint64_t, uint32_t> begins_, ends_;
  std::unordered_map<uint32_t, ParamLayout> layouts_;
};

}  // namespace

std::vector<HistoryCall> history_calls(const Log& log, const LogIndex& index) {
  return Collector(log, index).run();
}

}  // namespace bohr::trace

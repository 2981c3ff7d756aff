// SPDX-License-Identifier: Apache-2.0
#include "trace/writer/recent_log.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "trace/writer/encode.h"

namespace bohr::trace {

RecentLog::RecentLog(std::string path, uint64_t limit, Text reason, Text text)
    : path_(std::move(path)), limit_(limit) {
  note_.reason = reason;
  note_.text = text;
  note_.count = 0;
  note_.loses_order = true;
  note_.from = 0;
  begin();
}

bool RecentLog::begin() {
  const std::string file = path_ + kRecentSuffixes[turns() % kRecentSuffixes.size()];
  ::unlink(file.c_str());
  writer_ = LogWriter::create_part(file, limit_ / kRecentSuffixes.size(), &why_);
  turns_.fetch_add(1, std::memory_order_relaxed);
  return writer_ != nullptr;
}

// The file that takes the next turn holds what was written before this one: it goes.
void RecentLog::end_full() {
  note_.count += before_records_;
  note_.seq = last_seq_;
  note_.to = before_seq_;
  writer_->end_part(note_.count > 0 ? &note_ : nullptr);
  writer_.reset();
  before_records_ = std::exchange(records_, 0);
  before_seq_ = last_seq_;
}

template <class R>
bool RecentLog::append(const R& record) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!writer_) return false;
  if (!writer_->append(record)) {
    why_ = writer_->why_refused();
    if (!writer_->is_full() || records_ == 0) return false;
    end_full();
    if (!begin()) return false;
    if (!writer_->append(record)) return why_ = writer_->why_refused(), false;
  }
  ++records_;
  last_seq_ = std::max(last_seq_, seq_of(record));
  return true;
}

std::string RecentLog::why_refused() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return why_;
}

void RecentLog::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (writer_) writer_->end_part(nullptr);
  writer_.reset();
}

void RecentLog::abandon() {
  if (writer_) writer_->abandon();
}

template bool RecentLog::append(const Kernel&);
template bool RecentLog::append(const Copy&);
template bool RecentLog::append(const Set&);
template bool RecentLog::append(const HostFunc&);
template bool RecentLog::append(const Unmodelled&);
template bool RecentLog::append(const EventRecord&);
template bool RecentLog::append(const EventWait&);
template bool RecentLog::append(const HostSync&);
template bool RecentLog::append(const HostWrite&);
template bool RecentLog::append(const Clock&);
template bool RecentLog::append(const Launch&);
template bool RecentLog::append(const MemAlloc&);
template bool RecentLog::append(const MemFree&);
template bool RecentLog::append(const BlockAlloc&);
template bool RecentLog::append(const BlockFree&);
template bool RecentLog::append(const History&);
template bool RecentLog::append(const EntryCall&);

}  // namespace bohr::trace

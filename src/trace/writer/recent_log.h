// SPDX-License-Identifier: Apache-2.0
// Keeps the newest records of a kind that never comes to an end, beside a log that keeps all
// others.
//
// Two files take turns. One that is full ends with a Diagnostic that says up to where older records
// were dropped, then the other is begun anew: so at any moment, also when the process is killed,
// the two hold everything from some point on, and say which. Strings are those of the log.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "trace/writer/log_writer.h"

namespace bohr::trace {

// Behind the log's own path.
constexpr std::array<const char*, 2> kRecentSuffixes = {".recent-0", ".recent-1"};

// A log with such files beside it says so: a Provenance record of this name.
constexpr const char* kRecentName = "recent work outside graphs";

// Why pairs with work that was dropped are not decided.
constexpr const char* kRecentReason = "recent-only";

class RecentLog {
 public:
  // Beside the log at `path`, in at most `limit` bytes, the first file at once. `reason` and
  // `text`, of that log, say what was dropped.
  RecentLog(std::string path, uint64_t limit, Text reason, Text text);

  // False when the record could not be kept.
  template <class R>
  bool append(const R& record);

  // How many files were begun. Cheap.
  uint64_t turns() const { return turns_.load(std::memory_order_relaxed); }

  // Why the newest record that was refused could not be kept.
  std::string why_refused() const;

  // Cuts the newer file to its length. Later appends are dropped.
  void close();
  // In a forked child: lets go of the files without touching them.
  void abandon();

 private:
  bool begin();
  void end_full();

  std::string path_;
  uint64_t limit_;
  Diagnostic note_;  // of what was dropped
  std::string why_ = "it is closed";
  mutable std::mutex mutex_;
  std::unique_ptr<LogWriter> writer_;    // null: it is closed, or its file could not be made
  std::atomic<uint64_t> turns_{0};       // files that were begun
  uint64_t records_ = 0, last_seq_ = 0;  // of the one that is written
  uint64_t before_records_ = 0, before_seq_ = 0;  // of the one before
};

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Appends records to an event log from inside a foreign process: no exception, no abort, bounded
// disk, and after SIGKILL the file reads up to the last whole record.
//
// Every method may be called from any thread. After a failure (disk full, limit reached) the writer
// counts what it drops and says so in the log's last record where that still fits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "trace/writer/records.h"

namespace bohr::trace {

class LogWriter {
 public:
  // Creates `path` (mode 0600, must not exist) for at most `limit` bytes. On failure returns null
  // and fills `why`.
  static std::unique_ptr<LogWriter> create(const std::string& path, uint64_t limit,
                                           std::string* why);
  // The same for a file of records whose strings are those of another log: it has none of its own,
  // takes no record once it is full, and ends with end_part().
  static std::unique_ptr<LogWriter> create_part(const std::string& path, uint64_t limit,
                                                std::string* why);
  // Drops everything, for a recorder that is to record nothing.
  static std::unique_ptr<LogWriter> nowhere();
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // The id of a string, writing a String record the first time.
  Text text(std::string_view value);

  // False when the record was dropped: from the first one that finds no room on, all are, so that
  // what the log holds is whole up to one point. For every kind but String and End, which `text`
  // and `close` write.
  template <class R>
  bool append(const R& record);

  uint64_t lost() const;
  uint64_t bytes() const;

  // Writes End and cuts the file to its length. Later appends are dropped. A writer that is
  // destroyed without it leaves a log without End.
  void close(uint64_t seq);

  // The newest record that was refused would have gone beyond the limit; else why it found no room.
  bool is_full() const;
  const char* why_refused() const;

  // Ends a part, with a last record where one is given, and cuts its file to its length.
  void end_part(const Diagnostic* last);

  // In a forked child: lets go of the file without touching it.
  void abandon();

 private:
  struct State;
  explicit LogWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace bohr::trace

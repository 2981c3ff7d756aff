// SPDX-License-Identifier: Apache-2.0
// Reads a recording and an allocator's own history of the same process, and writes the trace that
// has both.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace bohr::app {

struct HistoryImport {
  std::string recording;  // a log, a trace or the folder of a run
  std::string history;
  std::string output;  // a SQLite trace
  uint64_t pid = 0;    // whose history it is; 0: the one process that used the GPU
};

struct HistoryImported {
  std::string process;
  std::string allocator;
  int64_t blocks = 0;
  int64_t left_out = 0;
  int64_t frees_open = 0;
};

Result<HistoryImported> import_history(const HistoryImport& what);

}  // namespace bohr::app

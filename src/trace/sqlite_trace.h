// SPDX-License-Identifier: Apache-2.0
// A trace in SQLite: the logs of one run's processes in one file that users can query, and back.
// Nothing is lost either way: every record, its place and every string come back as they were.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/database.h"
#include "trace/log_reader.h"

namespace bohr::trace {

// Writes beside `path` and renames, so the file is there whole or as it was before.
Status write_sqlite(std::span<const Log> logs, const std::string& path);

// The same database in memory.
Result<store::Database> sqlite_in_memory(std::span<const Log> logs);

// One log for each process, in their order. Refuses what is no trace of ours or a newer one, and
// what was changed since.
Result<std::vector<Log>> read_sqlite(const store::Database& database);
Result<std::vector<Log>> read_sqlite(std::vector<uint8_t> bytes, const std::string& source);

// Refuses a database that is no trace of a version that we read.
Status check_is_trace(const store::Database& database);

}  // namespace bohr::trace

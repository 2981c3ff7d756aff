// SPDX-License-Identifier: Apache-2.0
// Opens whatever holds a program: an event log, a SQLite trace, a case, or one of these compressed
// with zstd, or a bundle of `bohr share`. Told apart by their first bytes, not by their names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "store/database.h"
#include "trace/log_reader.h"

namespace bohr::trace {

// The name of the SQLite trace in a bundle.
constexpr const char* kBundledTrace = "trace.db";

enum class Format { log, sqlite, text };

// The bytes of a file, decompressed where needed; "-" is standard input.
struct Input {
  std::string source;
  Format format = Format::text;
  std::vector<uint8_t> bytes;
  std::vector<std::vector<uint8_t>> recent;  // of a log: the files beside it (recent_log.h)
};

Result<Input> read_input(const std::string& path);
Result<Program> to_program(const Input& input);
// Records of a log or a SQLite trace; refuses a case. Of several processes' logs the one with most
// work is taken, and a Diagnostic (reason `other-processes`) counts the others.
Result<Log> to_log(const Input& input);
// One log for each process.
Result<std::vector<Log>> to_logs(const Input& input);
Result<std::vector<Log>> read_logs(const std::string& path);
// A database to run users' queries on, which cannot change anything; refuses a case.
Result<store::Database> to_database(const Input& input);

}  // namespace bohr::trace

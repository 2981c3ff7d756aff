// SPDX-License-Identifier: Apache-2.0
// Opens whatever holds a program: an event log, a SQLite trace, a case, or one of these compressed
// with zstd. Told apart by their first bytes, not by their names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "trace/log_reader.h"

namespace bohr::trace {

enum class Format { log, sqlite, text };

// The bytes of a file, decompressed where needed; "-" is standard input.
struct Input {
  std::string source;
  Format format = Format::text;
  std::vector<uint8_t> bytes;
};

Result<Input> read_input(const std::string& path);
Result<Program> to_program(const Input& input);
// Records of a log or a SQLite trace; refuses a case.
Result<Log> to_log(const Input& input);

}  // namespace bohr::trace

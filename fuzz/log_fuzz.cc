// SPDX-License-Identifier: Apache-2.0
// Any bytes: a refusal, or a log whose ids and lists are sound and that SQLite keeps as it is.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "trace/log_reader.h"
#include "trace/sqlite_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto log = bohr::trace::read_log({data, size}, "fuzz");
  if (!log.ok()) return 0;
  const std::vector<bohr::trace::Log> logs = {log.value()};
  const auto database = bohr::trace::sqlite_in_memory(logs);
  BOHR_CHECK(database.ok());
  const auto back = bohr::trace::read_sqlite(database.value());
  BOHR_CHECK(back.ok());
  BOHR_CHECK(back.value().size() == 1);
  BOHR_CHECK(back.value()[0].strings == log.value().strings);
  BOHR_CHECK(back.value()[0].records == log.value().records);
  return 0;
}

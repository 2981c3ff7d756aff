// SPDX-License-Identifier: Apache-2.0
// Any bytes as a SQLite trace: a refusal, or logs that are kept as they are when written again.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "trace/sqlite_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto logs = bohr::trace::read_sqlite(std::vector<uint8_t>(data, data + size), "fuzz");
  if (!logs.ok()) return 0;
  const auto database = bohr::trace::sqlite_in_memory(logs.value());
  BOHR_CHECK(database.ok());
  const auto back = bohr::trace::read_sqlite(database.value());
  BOHR_CHECK(back.ok());
  BOHR_CHECK(back.value().size() == logs.value().size());
  for (size_t i = 0; i < back.value().size(); ++i) {
    BOHR_CHECK(back.value()[i].strings == logs.value()[i].strings);
    BOHR_CHECK(back.value()[i].records == logs.value()[i].records);
  }
  return 0;
}

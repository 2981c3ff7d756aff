// SPDX-License-Identifier: Apache-2.0
// Any bytes as an allocator's history: a refusal, or events that can be placed among the calls of a
// small recording without making it one that cannot be imported.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "trace/add_history.h"
#include "trace/import.h"

namespace {

using namespace bohr::trace;

// Two kernels on one stream that name what the history may hand out.
Log recording() {
  Log log;
  log.source = "fuzz";
  log.strings = {"", "_Z1kPf"};
  Function function;
  function.function = 1;
  function.name = {1};
  function.offsets = {0};
  function.sizes = {8};
  function.layout_known = true;
  log.records.emplace_back(function);
  log.records.emplace_back(Stream{.seq = 1, .stream = 1, .context = 1});
  log.records.emplace_back(StreamHandle{1, 7});
  MemAlloc segment;
  segment.call = {2, 3, 1, 0};
  segment.address = 4096;
  segment.bytes = 1 << 20;
  log.records.emplace_back(segment);
  for (uint64_t i = 0; i < 2; ++i) {
    Kernel kernel;
    kernel.call = {4 + 2 * i, 5 + 2 * i, 1, 0};
    kernel.stream = 1;
    kernel.function = 1;
    kernel.form = ParamForm::array;
    kernel.params = {0, static_cast<uint8_t>(16 + 16 * i), 0, 0, 0, 0, 0, 0};
    log.records.emplace_back(kernel);
  }
  return log;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto history = read_history({data, size}, "fuzz");
  if (!history.ok()) return 0;
  const auto added = add_history(recording(), std::move(history).value());
  if (!added.ok()) return 0;
  BOHR_CHECK(added.value().blocks > 0);
  BOHR_CHECK(import_log(added.value().log).ok());
  return 0;
}

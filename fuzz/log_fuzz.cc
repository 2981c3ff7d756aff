// SPDX-License-Identifier: Apache-2.0
// Any bytes: a refusal, or a log whose ids and lists are sound, and whose records are the same when
// they are written and read once more.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "trace/log_reader.h"
#include "trace/record_codec.h"

namespace bohr::trace {
namespace {

template <class R>
void check_same_again(const R& record, size_t string_count) {
  std::vector<uint8_t> payload(payload_size(record));
  BOHR_CHECK(put_payload(payload.data(), record) == payload.data() + payload.size());
  BodyReader reader(payload, string_count);
  BOHR_CHECK(reader.varint() == static_cast<uint64_t>(R::kKind));
  R again;
  BOHR_CHECK(read_body(reader, string_count, &again));
  BOHR_CHECK(again == record);
}

void check_log(const Log& log) {
  BOHR_CHECK(!log.strings.empty() && log.strings[0].empty());
  for (const Record& record : log.records) {
    std::visit([&](const auto& r) { check_same_again(r, log.strings.size()); }, record);
  }
}

}  // namespace
}  // namespace bohr::trace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto log = bohr::trace::read_log({data, size}, "fuzz");
  if (log.ok()) bohr::trace::check_log(log.value());
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Event logs made by hand, so that tests can also make ones that no writer would.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/log_reader.h"
#include "trace/writer/encode.h"
#include "trace/writer/framing.h"

namespace bohr::trace {

class LogBytes {
 public:
  explicit LogBytes(uint32_t version = kLogVersion) : bytes_(kLogHeadSize) {
    encode_log_head(bytes_.data(), version);
  }
  template <class R>
  LogBytes& add(const R& record) {
    std::vector<uint8_t> payload(payload_size(record));
    put_payload(payload.data(), record);
    return add_payload(payload);
  }
  LogBytes& add(const Record& record) {
    std::visit([&](const auto& r) { add(r); }, record);
    return *this;
  }
  // A frame whose checksum is right, whatever the payload.
  LogBytes& add_payload(const std::vector<uint8_t>& payload) {
    const size_t at = bytes_.size();
    const auto size = static_cast<uint32_t>(payload.size());
    bytes_.resize(at + frame_size(payload.size()));
    store_u32(bytes_.data() + at, size);
    store_u32(bytes_.data() + at + 4, frame_checksum(size, payload.data()));
    std::copy(payload.begin(), payload.end(),
              bytes_.begin() + static_cast<ptrdiff_t>(at + kFrameHeadSize));
    return *this;
  }
  LogBytes& add_zeros(size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

// All of a log's strings first, then its records.
inline std::vector<uint8_t> log_bytes(const Log& log) {
  LogBytes bytes;
  for (uint32_t id = 1; id < log.strings.size(); ++id) {
    bytes.add(String{.id = id, .text = log.strings[id]});
  }
  for (const Record& record : log.records) bytes.add(record);
  return bytes.bytes();
}

}  // namespace bohr::trace

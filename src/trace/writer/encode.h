// SPDX-License-Identifier: Apache-2.0
// Records -> bytes. Numbers, enumerations and booleans are varints (seven bits a byte, lowest
// first, the top bit set on all but the last), signed ones folded so that small negatives stay
// short; strings and bytes follow their length, lists of numbers their count. A record is the
// concatenation of its fields, so a field that is added at the end is absent from older records and
// nothing else moves.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "trace/writer/records.h"

namespace bohr::trace {

constexpr size_t varint_size(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

constexpr uint8_t* put_varint(uint8_t* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<uint8_t>(value | 0x80);
  *out++ = static_cast<uint8_t>(value);
  return out;
}

constexpr uint64_t fold_sign(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t unfold_sign(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

template <class T>
concept Scalar = std::is_integral_v<T> || std::is_enum_v<T>;

template <Scalar T>
constexpr uint64_t scalar_code(T value) {
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return fold_sign(value);
  } else {
    return static_cast<uint64_t>(value);
  }
}

// Adds up what BodyWriter will write.
class BodySize {
 public:
  template <Scalar T>
  void operator()(const char*, T value) {
    size_ += varint_size(scalar_code(value));
  }
  void operator()(const char*, Text text) { size_ += varint_size(text.id); }
  void operator()(const char*, const std::string& text) { add_block(text.size()); }
  void operator()(const char*, const Bytes& bytes) { add_block(bytes.size()); }
  void operator()(const char*, const Numbers& numbers) {
    size_ += varint_size(numbers.size());
    for (uint64_t number : numbers) size_ += varint_size(number);
  }
  void operator()(const char*, const Call& call) {
    size_ += varint_size(call.seq) + varint_size(call.exit);
    size_ += varint_size(call.thread) + varint_size(call.stack);
  }
  size_t size() const { return size_; }

 private:
  void add_block(size_t bytes) { size_ += varint_size(bytes) + bytes; }
  size_t size_ = 0;
};

// Writes fields one after the other; the caller has made room for BodySize's sum.
class BodyWriter {
 public:
  explicit BodyWriter(uint8_t* out) : out_(out) {}
  template <Scalar T>
  void operator()(const char*, T value) {
    out_ = put_varint(out_, scalar_code(value));
  }
  void operator()(const char*, Text text) { out_ = put_varint(out_, text.id); }
  void operator()(const char*, const std::string& text) { put_block(text.data(), text.size()); }
  void operator()(const char*, const Bytes& bytes) { put_block(bytes.data(), bytes.size()); }
  void operator()(const char*, const Numbers& numbers) {
    out_ = put_varint(out_, numbers.size());
    for (uint64_t number : numbers) out_ = put_varint(out_, number);
  }
  void operator()(const char*, const Call& call) {
    out_ = put_varint(put_varint(out_, call.seq), call.exit);
    out_ = put_varint(put_varint(out_, call.thread), call.stack);
  }
  uint8_t* end() const { return out_; }

 private:
  void put_block(const void* data, size_t size) {
    out_ = put_varint(out_, size);
    if (size != 0) std::memcpy(out_, data, size);
    out_ += size;
  }
  uint8_t* out_;
};

// The sequence number at which a record's call was entered; 0 when the kind has none.
template <class R>
constexpr uint64_t seq_of(const R& record) {
  if constexpr (requires { record.call.seq; }) {
    return record.call.seq;
  } else if constexpr (requires { record.seq; }) {
    return record.seq;
  } else {
    return 0;
  }
}

template <class R>
size_t payload_size(const R& record) {
  BodySize size;
  size("kind", R::kKind);
  R::fields(size, record);
  return size.size();
}

template <class R>
uint8_t* put_payload(uint8_t* out, const R& record) {
  BodyWriter writer(out);
  writer("kind", R::kKind);
  R::fields(writer, record);
  return writer.end();
}

}  // namespace bohr::trace
